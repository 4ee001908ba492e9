import { type Signal, signal } from "@preact/signals";
import { SimError } from "../../../src/client/errors.js";
import type { Transport } from "../../../src/client/transport.js";
import { omitUndefined } from "../../../src/kernel/objects.js";
import { errorMessage } from "../lib/control";
import type { ClockReading, Snapshot, Start } from "./types";

/** A change that can be undone, or one that was undone and can be done again. */
interface Step {
  /** The sandbox that is shown afterwards. */
  readonly sandbox: string;
  /** What was done, as a sentence without its full stop. */
  readonly text: string;
  /** Goes back, and resolves with the step in the other direction. @throws SimError */
  readonly back: () => Promise<Step>;
}

type Steps = Signal<readonly Step[]>;

/** So many steps can be undone, one after the other. */
const MAX_STEPS = 10;
/** So many of the oldest snapshots of all pages go where a sandbox has no room for more: a page that is closed leaves its own behind. */
const PRUNED = 50;

/** What this page has done that throws state away, and what of it was undone. */
export class Undos {
  readonly #done = signal<readonly Step[]>([]);
  readonly #undone = signal<readonly Step[]>([]);

  /** `notify` tells the person what was done. */
  constructor(readonly notify: (text: string, tone?: "bad") => void) {}

  /** What was done last; undefined where nothing can be undone. */
  get done(): string | undefined {
    return this.#done.value.at(-1)?.text;
  }

  /** What was undone last, and nothing new was done since. */
  get undone(): string | undefined {
    return this.#undone.value.at(-1)?.text;
  }

  add(step: Step): void {
    this.#done.value = [...this.#done.peek(), step].slice(-MAX_STEPS);
    this.#undone.value = [];
    this.notify(`${step.text}.`);
  }

  /** Undoes what was done last; resolves with the sandbox to show. */
  undo(): Promise<string | undefined> {
    return this.#move(this.#done, this.#undone, "Undone");
  }

  /** Does again what was undone last; resolves with the sandbox to show. */
  redo(): Promise<string | undefined> {
    return this.#move(this.#undone, this.#done, "Redone");
  }

  async #move(from: Steps, to: Steps, what: string): Promise<string | undefined> {
    const step = from.peek().at(-1);
    if (step === undefined) return undefined;
    const leave = () => {
      from.value = from.peek().filter((one) => one !== step);
    };
    try {
      const other = await step.back();
      leave();
      to.value = [...to.peek(), other];
    } catch (error) {
      if (!(error instanceof SimError) || error.status !== 404) throw error;
      leave();
      throw new Error(`The snapshot was deleted, by hand or by another page: ${step.text}.`);
    }
    this.notify(`${what}: ${step.text}`);
    return step.sandbox;
  }

  clear(): void {
    this.#done.value = [];
    this.#undone.value = [];
  }
}

/** The sandbox in which something is done. */
interface Place {
  readonly sandbox: string;
  readonly transport: Transport;
  readonly server: Transport;
  readonly undos: Undos;
}

/** The name of a snapshot that a page took for Undo or Redo, and before what. */
export const PAGE_SNAPSHOT = /^(undo|redo): (.+), \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/;
type Direction = "undo" | "redo";

const pathOf = (name: string): string => `/snapshots/${encodeURIComponent(name)}`;
const forget = ({ transport }: Place, name: string): Promise<unknown> =>
  transport.call("DELETE", pathOf(name)).catch(() => {});

const nameOf = (direction: Direction, what: string): string =>
  `${direction}: ${what}, ${new Date().toISOString().replace("T", " ").replace("Z", "")}`;

/** Takes a snapshot for Undo of `what`; resolves with its name. Where there is no room, those of closed pages go. */
async function keep(place: Place, what: string): Promise<string> {
  const { transport } = place;
  const name = nameOf("undo", what);
  const take = () => transport.call("POST", "/snapshots", { body: { name } });
  try {
    await take();
  } catch (error) {
    if (!(error instanceof SimError) || error.status !== 409) throw error;
    const all = (await transport.call<Snapshot[]>("GET", "/snapshots")).map((one) => one.name);
    const old = all.filter((one) => PAGE_SNAPSHOT.test(one)).slice(0, PRUNED);
    for (const one of old) await forget(place, one);
    await take();
  }
  return name;
}

/** The step that restores a snapshot, in whose place comes one of what stands there by then. */
const stepTo = (place: Place, name: string, direction: Direction, what: string, text: string): Step => ({
  sandbox: place.sandbox,
  text,
  back: async () => {
    const other = direction === "undo" ? "redo" : "undo";
    const present = nameOf(other, what);
    await place.transport.call("POST", `${pathOf(name)}/restore`, { body: { keep: present } });
    return stepTo(place, present, other, what, text);
  },
});

/**
 * Does something that throws state away, with a snapshot taken before: Undo restores state and clock, and Redo what stood
 * there before Undo. `work` resolves with what was done, as a sentence without its full stop. Where no snapshot can be taken
 * it is done all the same, and the page says so.
 */
export async function withUndo(place: Place, what: string, work: () => Promise<string>): Promise<void> {
  const { undos } = place;
  let name: string | undefined;
  try {
    name = await keep(place, what);
  } catch (error) {
    undos.notify(`This cannot be undone, because the snapshot failed: ${errorMessage(error)}`, "bad");
  }
  try {
    const text = await work();
    if (name === undefined) undos.notify(`${text}.`);
    else undos.add(stepTo(place, name, "undo", what, text));
  } catch (error) {
    if (name !== undefined) await forget(place, name);
    throw error;
  }
}

/** Deletes the sandbox that is shown. Undo creates it again from its start, and restores its state and clock. */
export async function removeSandbox(place: Place): Promise<void> {
  place.undos.add(await removal(place));
}

async function removal(place: Place): Promise<Step> {
  const { server, transport, sandbox } = place;
  const path = `/sandboxes/${encodeURIComponent(sandbox)}`;
  const [start, clock, state] = await Promise.all([
    transport.call<Start>("GET", "/start"),
    transport.call<ClockReading>("GET", "/clock"),
    transport.call<object>("GET", "/state"),
  ]);
  await server.call("DELETE", path);
  const text = `Sandbox ${sandbox} deleted`;
  const create = async (): Promise<Step> => {
    const { fixtures, standard, behaviour, seed, ids } = start;
    const body = omitUndefined({
      id: sandbox,
      fixtures: standard ? undefined : fixtures,
      behaviour,
      seed,
      clock: start.clock ?? undefined,
      ids,
    });
    await server.call("POST", "/sandboxes", { body });
    await transport.call("PUT", "/state", { body: state });
    await transport.call("PUT", "/clock", { body: clock });
    return { sandbox: "default", text, back: () => removal(place) };
  };
  return { sandbox, text, back: create };
}
