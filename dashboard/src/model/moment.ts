import type { Transport } from "../../../src/client/transport.js";
import { errorMessage } from "../lib/control";
import type { Session } from "./session";
import type { BehaviourRow, FaultRule, Snapshot } from "./types";

/** Snapshots whose names begin so were taken by the page. */
const PREFIX = "Before ";
/** So many of them are kept in a sandbox. */
const MAX_KEPT = 12;

const snapshotPath = (name: string): string => `/snapshots/${encodeURIComponent(name)}`;

/** What a snapshot does not hold of how a sandbox works. */
export interface Settings {
  readonly faults: readonly FaultRule[];
  readonly behaviour: readonly BehaviourRow[];
}

export async function readSettings(transport: Transport): Promise<Settings> {
  const [faults, behaviour] = await Promise.all([
    transport.call<FaultRule[]>("GET", "/faults"),
    transport.call<BehaviourRow[]>("GET", "/behaviour"),
  ]);
  return { faults, behaviour };
}

/** A rule as it would be armed: it fires as often as it still may. */
export function armingOf({ id: _, seen, fired, preset, ...rule }: FaultRule): object {
  const { times, after } = rule;
  return {
    ...rule,
    then: preset ?? rule.then,
    ...(times === undefined ? {} : { times: times - fired }),
    ...(after === undefined ? {} : { after: Math.max(0, after - seen) }),
  };
}

const mayFire = ({ times, fired }: FaultRule): boolean => times === undefined || fired < times;
const idsOf = (rules: readonly FaultRule[]): string =>
  JSON.stringify(rules.map(({ seen, fired, ...rule }) => rule));

/** Arms rules in place of those that are there. */
export async function armInstead(transport: Transport, rules: readonly FaultRule[]): Promise<void> {
  await transport.call("DELETE", "/faults");
  for (const rule of rules.filter(mayFire)) await transport.call("POST", "/faults", { body: armingOf(rule) });
}

/** Brings back faults and behaviour values where they differ by now. */
export async function bringBack(transport: Transport, { faults, behaviour }: Settings): Promise<void> {
  const now = await readSettings(transport);
  const values = new Map<string, unknown>(now.behaviour.map(({ key, value }) => [key, value]));
  const changed = behaviour.filter(
    ({ key, value }) => JSON.stringify(values.get(key)) !== JSON.stringify(value),
  );
  if (changed.length > 0) {
    const body = Object.fromEntries(changed.map(({ key, value }) => [key, value]));
    await transport.call("PATCH", "/behaviour", { body });
  }
  if (idsOf(now.faults) !== idsOf(faults)) await armInstead(transport, faults);
}

/** Keeps how the sandbox stands, under the name of what comes next; resolves with what brings it back. */
async function keep(transport: Transport, what: string): Promise<{ name: string; restore(): Promise<void> }> {
  const settings = await readSettings(transport);
  const name = `${PREFIX}${what}, ${new Date().toISOString().replace("T", " ").replace("Z", "")}`;
  await transport.call("POST", "/snapshots", { body: { name } });
  const all = await transport.call<Snapshot[]>("GET", "/snapshots");
  const own = all.filter((one) => one.name.startsWith(PREFIX));
  for (const old of own.slice(0, -MAX_KEPT)) await transport.call("DELETE", snapshotPath(old.name));
  const restore = async () => {
    await transport.call("POST", `${snapshotPath(name)}/restore`);
    await bringBack(transport, settings);
  };
  return { name, restore };
}

/** What Undo does not bring back after all of a sandbox was put in another place. */
export const LOST = "Logs, settings of sinks and deliveries that were under way stay lost";

/**
 * Does something that throws state away, with a snapshot taken before: Undo brings back state, clock, faults and behaviour.
 * `work` resolves with what was done. Where no snapshot can be taken it is done all the same, and the page says so.
 * Redo does `again`; left out: the same.
 */
export async function withUndo(
  session: Session,
  what: string,
  work: () => Promise<string>,
  lost?: string,
  again = () => withUndo(session, what, work, lost),
): Promise<void> {
  const { transport, sandbox, undos } = session;
  const kept = await keep(transport, what).catch((error: unknown) => errorMessage(error));
  if (typeof kept === "string") {
    const text = await work();
    undos.add({ sandbox, text, lost: `It cannot be undone, there is no snapshot: ${kept}`, undo: null });
    return;
  }
  try {
    const text = await work();
    undos.add({ sandbox, text, lost, undo: kept.restore, redo: again });
  } catch (error) {
    await transport.call("DELETE", snapshotPath(kept.name)).catch(() => {});
    throw error;
  }
}
