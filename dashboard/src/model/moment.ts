import type { Transport } from "../../../src/client/transport.js";
import { numberOf } from "../../../src/kernel/objects.js";
import { errorMessage } from "../lib/control";
import { plural } from "../lib/format";
import type { Session } from "./session";
import type { BehaviourRow, FaultRule, Snapshot } from "./types";
import type { Witness } from "./undo";

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
  // With secrets: a reset takes them away before they are written back.
  const query = { secrets: "show" };
  const [faults, behaviour] = await Promise.all([
    transport.call<FaultRule[]>("GET", "/faults", { query }),
    transport.call<BehaviourRow[]>("GET", "/behaviour", { query }),
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

/** How a sandbox stood. */
interface Moment {
  readonly name: string;
  /** Resolves with whether all came back that a reset had thrown away. */
  restore(): Promise<boolean>;
}

/** Keeps how the sandbox stands, under the name of what comes next; where that resets it, with all that it has. */
async function keep(transport: Transport, what: string): Promise<Moment> {
  const settings = await readSettings(transport);
  const name = `${PREFIX}${what}, ${new Date().toISOString().replace("T", " ").replace("Z", "")}`;
  await transport.call("POST", "/snapshots", { body: { name, logs: true } });
  const all = await transport.call<Snapshot[]>("GET", "/snapshots");
  const own = all.filter((one) => one.name.startsWith(PREFIX));
  for (const old of own.slice(0, -MAX_KEPT)) await transport.call("DELETE", snapshotPath(old.name));
  const restore = async () => {
    const { logs } = await transport.call<Snapshot>("POST", `${snapshotPath(name)}/restore`);
    await bringBack(transport, settings);
    return logs === true;
  };
  return { name, restore };
}

/** What was written after something was done, and goes with it. */
async function goingSince(transport: Transport): Promise<(witness: Witness) => string> {
  const query = { limit: 1 };
  const newest = (path: string) => transport.call<{ readonly id: string }[]>("GET", path, { query });
  const [[request], [control]] = await Promise.all([newest("/requests"), newest("/controls")]);
  const at = performance.now();
  return ({ causes, heard }) => {
    const written = causes.messagesAfter(numberOf(request?.id), numberOf(control?.id));
    // What a reset has thrown away stands there until the page hears of the reset.
    const count = written.filter((id) => (heard.get(id) ?? at + 1) > at).length;
    return count === 0
      ? ""
      : `Undo also removes ${plural(count, "message")} written since, and Redo restores ${count === 1 ? "it" : "them"}`;
  };
}

/**
 * Does something that throws state away, with a snapshot taken before: Undo brings back state, clock, faults and behaviour,
 * and after a reset the logs, the sinks and pending deliveries too.
 * Undo and Redo take one too, so that each brings back all that stood there before the other. `work` resolves with what was
 * done. Where no snapshot can be taken it is done all the same, and the page says so.
 */
export async function withUndo(
  { transport, sandbox, undos }: Session,
  what: string,
  work: () => Promise<string>,
  lost?: string,
): Promise<void> {
  const kept = await keep(transport, what).catch((error: unknown) => errorMessage(error));
  if (typeof kept === "string") {
    const text = await work();
    undos.add({
      sandbox,
      text,
      lost: `This cannot be undone, because the snapshot failed: ${kept}`,
      undo: null,
    });
    return;
  }
  const forget = ({ name }: Moment) => transport.call("DELETE", snapshotPath(name)).catch(() => {});
  let other = kept;
  const swap = async (step: string) => {
    const now = await keep(transport, `${step} of ${what}`);
    const isWhole = await other.restore();
    await forget(other);
    other = now;
    return isWhole ? undefined : "earlier logs are lost";
  };
  const add = async (text: string) => {
    const redo = async () => {
      await swap("redo");
      await add(text);
    };
    undos.add({
      sandbox,
      text,
      lost,
      alsoGoes: await goingSince(transport).catch(() => () => ""),
      undo: () => swap("undo"),
      redo,
    });
  };
  try {
    await add(await work());
  } catch (error) {
    await forget(kept);
    throw error;
  }
}
