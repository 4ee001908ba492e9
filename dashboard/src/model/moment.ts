import { SimError } from "../../../src/client/errors.js";
import type { Transport } from "../../../src/client/transport.js";
import { numberOf } from "../../../src/kernel/objects.js";
import { errorMessage } from "../lib/control";
import { plural } from "../lib/format";
import { PAGE_SNAPSHOT } from "../story/control-note";
import type { Session } from "./session";
import type { BehaviourRow, FaultRule, Snapshot } from "./types";
import { LostMoment, type Witness } from "./undo";

/** How many snapshots a sandbox keeps of this page, and of all pages. */
const [MAX_KEPT, MAX_OF_ALL] = [12, 36];

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
function armingOf({ id: _, seen, fired, preset, ...rule }: FaultRule): object {
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
  readonly settings: Settings;
}

const forget = ({ transport, undos }: Session, name: string): Promise<unknown> =>
  transport.call("DELETE", snapshotPath(name)).then(
    () => undos.snapshots.delete(name),
    () => {},
  );

/** Keeps how the sandbox stands, under the name of what comes next; where that resets it, with all that it has. */
async function keep(session: Session, what: string): Promise<Moment> {
  const { transport, undos } = session;
  const settings = await readSettings(transport);
  const name = `Before ${what}, ${new Date().toISOString().replace("T", " ").replace("Z", "")}`;
  await transport.call("POST", "/snapshots", { body: { name, logs: true } });
  undos.snapshots.add(name);
  const all = (await transport.call<Snapshot[]>("GET", "/snapshots")).map((one) => one.name);
  const ofPages = all.filter((one) => PAGE_SNAPSHOT.test(one));
  const own = ofPages.filter((one) => undos.snapshots.has(one));
  for (const old of new Set([...own.slice(0, -MAX_KEPT), ...ofPages.slice(0, -MAX_OF_ALL)]))
    await forget(session, old);
  return { name, settings };
}

/** Goes back to a moment; resolves with whether all came back that a reset had thrown away. @throws LostMoment */
async function restore(session: Session, { name, settings }: Moment, now: Moment): Promise<boolean> {
  const { transport } = session;
  const call = { query: { snapshot: now.name } };
  const { logs } = await transport
    .call<Snapshot>("POST", `${snapshotPath(name)}/restore`, call)
    .catch(async (error: unknown) => {
      await forget(session, now.name);
      throw error instanceof SimError && error.status === 404 ? new LostMoment() : error;
    });
  await bringBack(transport, settings);
  return logs === true;
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
 * Undo and Redo take one too, so that each brings back all that stood there before the other. `work` gets the snapshot's name
 * for a call that takes it once more, in the turn in which it throws state away, and resolves with what was done. Where no
 * snapshot can be taken it is done all the same, and the page says so.
 */
export async function withUndo(
  session: Session,
  what: string,
  work: (snapshot?: string) => Promise<string>,
  lost?: string,
): Promise<void> {
  const { transport, sandbox, undos } = session;
  const kept = await keep(session, what).catch((error: unknown) => errorMessage(error));
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
  let other = kept;
  const swap = async (step: string) => {
    const now = await keep(session, `${step} of ${what}`);
    const isWhole = await restore(session, other, now);
    await forget(session, other.name);
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
    await add(await work(kept.name));
  } catch (error) {
    await forget(session, kept.name);
    throw error;
  }
}
