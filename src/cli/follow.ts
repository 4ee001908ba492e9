/** `tail` and `chat`: what happens in a sandbox, live. */

import type { SimClient } from "../client/client.js";
import { SimError } from "../client/errors.js";
import { titleOf, valueText } from "../client/misses.js";
import type { StateChange, StreamEvent } from "../client/stream.js";
import type { DeliveryRecord, RequestRecord, TranscriptEntry } from "../client/types.js";
import { isObject } from "../kernel/json.js";
import { printable } from "../kernel/printable.js";
import { isoOf } from "../kernel/realtime.js";
import { threadOfRequest } from "../protocol/replies.js";
import { type Palette, paletteOf } from "../scenarios/reporters.js";
import { command } from "./command.js";
import { clientOf, REMOTE, thread as threadArgument } from "./control-commands.js";
import { OK, type Terminal, type TypedLines, usesColor } from "./terminal.js";

/** How many entries are remembered, to print none twice. */
const MAX_TOLD = 10_000;

/** Describes the events of a sandbox, each outcome once. */
class EventWords {
  readonly #palette: Palette;
  readonly #told = new Set<string>();

  constructor(palette: Palette) {
    this.#palette = palette;
  }

  /** The lines for an event; none if there is nothing new, or nothing yet. */
  lines(event: StreamEvent): string[] {
    switch (event.event) {
      case "request":
        return event.data.durationMs !== null && this.#isNew(event.data.id) ? this.#call(event.data) : [];
      case "delivery": {
        const { id, status, attempts } = event.data;
        const isTried = status !== "pending" || attempts.length > 0;
        return isTried && this.#isNew(`${id} ${status} ${attempts.length}`) ? this.#delivery(event.data) : [];
      }
      case "warning":
        return [this.#line("warning", "bad", `${event.data.code}: ${event.data.message}`)];
      case "state":
        return "all" in event.data
          ? [this.#line("state", "faint", "the whole state may have changed")]
          : event.data.changes.map((change) => this.change(change));
      case "clock":
        return [this.#line("clock", "faint", isoOf(event.data.now))];
      case "reset":
        this.#told.clear();
        return [this.#line("reset", "strong", "the sandbox was reset")];
      case "faults":
        return event.data.changed ? [this.#line("faults", "faint", "the faults have changed")] : [];
      case "cleared":
        return [this.#line("cleared", "faint", `the log of ${event.data.log}`)];
      case "moved":
        return [this.#line("moved", "strong", "another process now owns the sandbox")];
      case "hello":
      case "control":
      case "change":
      case "step":
      case "ran":
      case "sandboxes":
        return [];
    }
  }

  /** A changed record: its changed fields. */
  change({ collection, id, before, after }: StateChange): string {
    const name = `${collection}/${id}`;
    if (before === null) return this.#line("state", "faint", `${name} is new: ${valueText(after)}`);
    if (after === null) return this.#line("state", "faint", `${name} is gone`);
    return this.#line("state", "faint", `${name} ${changedFields({ ...before }, { ...after })}`);
  }

  #call(request: RequestRecord): string[] {
    const { id, by, status, response } = request;
    const isRefused = status === null || status >= 400;
    const who = by === "client" ? "" : ` (by the ${by})`;
    const why = isRefused && status !== null ? `: ${reasonIn(response)}` : "";
    return [this.#line(id, isRefused ? "bad" : "good", `${titleOf(request)}${who}${why}`)];
  }

  #delivery(delivery: DeliveryRecord): string[] {
    const { id, status, reason, attempts } = delivery;
    const last = attempts.at(-1);
    const answer = last === undefined ? "" : ` (${last.error ?? last.status})`;
    const why = reason === null ? "" : `: ${reason}`;
    return [this.#line(id, status === "delivered" ? "good" : "bad", `${titleOf(delivery)}${answer}${why}`)];
  }

  #isNew(key: string): boolean {
    if (this.#told.has(key)) return false;
    if (this.#told.size >= MAX_TOLD) this.#told.clear();
    this.#told.add(key);
    return true;
  }

  #line(label: string, paint: keyof Palette, text: string): string {
    return `${this.#palette[paint](label.padEnd(7))}  ${printable(text)}`;
  }
}

/** Why a call was refused. */
function reasonIn(response: unknown): string {
  if (!isObject(response)) return valueText(response);
  const { error, developerMessage } = response;
  if (typeof error === "string") return error;
  return typeof developerMessage === "string" ? developerMessage : valueText(response);
}

function changedFields(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): string {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((name) => `${name}: ${valueText(before[name])} → ${valueText(after[name])}`)
    .join(", ");
}

/** The exit code if the simulator or its sandbox ends. */
const ENDED = 1;

/** The exit codes of commands that follow a sandbox. */
const FOLLOW_EXITS = {
  0: "the input has ended, or the output was closed",
  1: "the simulator has ended, or the sandbox is gone",
  2: "the simulator refused the call or does not answer, or an option or argument is unusable",
};

/** `messaging-sim tail`: calls, deliveries, warnings and state changes as they happen. */
export const TAIL = command({
  options: { ...REMOTE },
  examples: {
    "messaging-sim tail": "what happens in the sandbox default, as lines",
    "messaging-sim tail --json": "an object for each event",
  },
  exits: FOLLOW_EXITS,
  run: async (remote, terminal) => {
    const client = clientOf(remote);
    const words = new EventWords(paletteOf(usesColor(terminal)));
    await client.clock();
    for await (const event of client.stream()) {
      if (event.event === "hello") terminal.err(`Following sandbox ${remote.sandbox}; Ctrl+C ends it.\n`);
      const { event: name, data } = event;
      const lines = remote.json ? [printable(JSON.stringify({ event: name, data }))] : words.lines(event);
      for (const line of lines) terminal.out(`${line}\n`);
      if ((await terminal.drained?.()) === false) return OK;
    }
    terminal.err("The simulator has ended the stream.\n");
    return ENDED;
  },
});

/** `messaging-sim chat <thread>`: a person acts as the customer, and sees what happens. */
export const CHAT = command({
  options: { thread: threadArgument, ...REMOTE },
  examples: {
    "messaging-sim chat 9001": "shows the conversation and follows it live; Ctrl+D exits",
  },
  exits: FOLLOW_EXITS,
  run: async ({ thread, ...remote }, terminal) => {
    const client = clientOf(remote);
    await client.transcript(thread);
    return new Chat(client, thread, terminal, remote.json).run();
  },
});

/** How long to wait for calls and deliveries in flight after the end of input, ms. */
const AFTER_END_MS = 5_000;

class Chat {
  readonly #client: SimClient;
  readonly #thread: string;
  readonly #terminal: Terminal;
  readonly #json: boolean;
  readonly #palette: Palette;
  readonly #words: EventWords;
  readonly #shown = new Set<string>();

  constructor(client: SimClient, thread: string, terminal: Terminal, json: boolean) {
    this.#client = client;
    this.#thread = thread;
    this.#terminal = terminal;
    this.#json = json;
    this.#palette = paletteOf(usesColor(terminal));
    this.#words = new EventWords(this.#palette);
  }

  /** Runs until the end of input, or of the simulator. */
  async run(): Promise<number> {
    const reading = new AbortController();
    let lines: TypedLines | undefined;
    let isOver = false;
    await this.#read(reading.signal, async () => {
      const newest = { limit: 1 };
      const [call] = await this.#client.requests(newest);
      const [delivery] = await this.#client.deliveries(newest);
      // Not before they are read, because none is stored until then.
      lines = this.#terminal.lines?.();
      for await (const line of lines ?? []) if (!isOver) await this.#say(line);
      await this.#client.idle({ timeoutMs: AFTER_END_MS }).catch(() => {});
      if (!isOver) await this.#catchUp(call?.id, delivery?.id).catch(() => {});
      isOver = true;
      reading.abort();
    });
    if (isOver) {
      if (!this.#json) await this.#showMessages();
      return OK;
    }
    isOver = true;
    lines?.close();
    this.#terminal.err("The simulator has ended the stream.\n");
    return ENDED;
  }

  /** Prints what happens; `begin` is called once nothing can be missed. */
  async #read(signal: AbortSignal, begin: () => Promise<void>): Promise<void> {
    let typing: Promise<unknown> = Promise.resolve();
    for await (const event of this.#client.stream({ signal })) {
      if (event.event === "hello") {
        if (!this.#json) await this.#showMessages();
        typing = begin();
        // It only counts if the simulator is still there.
        typing.catch(() => {});
      }
      await this.#show(event);
    }
    if (signal.aborted) await typing;
  }

  /** Shows the calls and deliveries after these whose last event has not arrived yet. */
  async #catchUp(call: string | undefined, delivery: string | undefined): Promise<void> {
    for (const data of await this.#client.deliveries({ since: delivery }))
      await this.#show({ id: "", event: "delivery", data }, true);
    for (const data of await this.#client.requests({ since: call }))
      await this.#show({ id: "", event: "request", data }, true);
  }

  async #say(line: string): Promise<void> {
    if (line.trim() === "") return;
    try {
      await this.#client.customerSays(this.#thread, line);
    } catch (error) {
      if (!(error instanceof SimError)) throw error;
      this.#terminal.err(`${printable(error.reason)}\n`);
    }
  }

  /** `isLate`: as JSON, too, only if it is new. */
  async #show(event: StreamEvent, isLate = false): Promise<void> {
    if (this.#json) {
      if (!this.#isHere(event)) return;
      const isNew = this.#words.lines(event).length > 0;
      if (isNew || !isLate) this.#print(printable(JSON.stringify({ event: event.event, data: event.data })));
      return;
    }
    if (event.event === "reset") this.#shown.clear();
    if (event.event === "state") {
      const { data } = event;
      const changes = "all" in data ? [] : data.changes;
      const own = changes.filter(({ collection, id }) => collection === "threads" && id === this.#thread);
      for (const change of own) this.#print(this.#words.change(change));
      if ("all" in data || changes.some(({ collection }) => collection === "messages"))
        await this.#showMessages();
      return;
    }
    if (this.#isHere(event)) for (const line of this.#words.lines(event)) this.#print(line);
  }

  /** Whether an event is about the thread, or about the whole sandbox. */
  #isHere(event: StreamEvent): boolean {
    if (event.event === "delivery") return event.data.threadId === this.#thread;
    if (event.event !== "request") return true;
    const named = threadOfRequest(event.data);
    return named === null || named === this.#thread;
  }

  /** The messages that have not been shown yet. */
  async #showMessages(): Promise<void> {
    for (const entry of await this.#client.transcript(this.#thread)) {
      if (this.#shown.has(entry.id)) continue;
      this.#shown.add(entry.id);
      const [first = "", ...more] = textOf(entry).split(/\r?\n/).map(printable);
      const { strong, good } = this.#palette;
      const mark = entry.kind === "internal" || entry.kind === "template" ? ` (${entry.kind})` : "";
      const author = (entry.kind === "customer" ? strong : good)(`${printable(entry.author)}${mark}:`);
      this.#print([`${author} ${first}`, ...more.map((line) => `  ${line}`)].join("\n"));
    }
  }

  #print(line: string): void {
    this.#terminal.out(`${line}\n`);
  }
}

const textOf = ({ text, attachment }: TranscriptEntry): string =>
  [text, ...(attachment === null ? [] : [`[${attachment.name}: ${attachment.contentType}]`])]
    .filter((part) => part !== "")
    .join(" ");
