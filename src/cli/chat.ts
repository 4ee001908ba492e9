import type { SimClient } from "../client/client.js";
import { SimError } from "../client/errors.js";
import type { StreamEvent } from "../client/stream.js";
import type { RequestRecord, TranscriptEntry } from "../client/types.js";
import { isObject } from "../kernel/json.js";
import { printable } from "../kernel/printable.js";
import { type Palette, paletteOf } from "../scenarios/reporters/pretty.js";
import { usesColor } from "./color.js";
import { command } from "./command.js";
import { EventWords } from "./event-words.js";
import { asText, word } from "./options.js";
import { REMOTE, withClient } from "./remote.js";
import { ENDED, FOLLOW_EXITS } from "./tail.js";
import { OK, type Terminal, type TypedLines } from "./terminal.js";

/** `messaging-sim chat <thread>`: a person is the customer, and reads what comes of it. */
export const CHAT = command({
  options: { thread: word("the thread's id", asText), ...REMOTE },
  examples: [["messaging-sim chat 9001", "shows the conversation and goes on with it; Ctrl+D ends it"]],
  exits: FOLLOW_EXITS,
  run: ({ thread, ...remote }, terminal) =>
    withClient(remote, terminal, async (client) => {
      await client.data("threads").get(thread);
      const chat = new Chat(client, thread, terminal, remote.json);
      return chat.run();
    }),
});

/** How long what is on its way may take once nothing more is typed, ms. */
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

  /** Goes on until there is no more input, or no more simulator. */
  async run(): Promise<number> {
    const reading = new AbortController();
    let lines: TypedLines | undefined;
    let isOver = false;
    await this.#read(reading.signal, async () => {
      // Not before they are read: until then none is kept.
      lines = this.#terminal.lines?.();
      for await (const line of lines ?? []) if (!isOver) await this.#say(line);
      await this.#client.idle({ timeoutMs: AFTER_END_MS }).catch(() => {});
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

  /** Tells what happens; `begin` is called once nothing is missed any more. */
  async #read(signal: AbortSignal, begin: () => Promise<void>): Promise<void> {
    let typing: Promise<unknown> = Promise.resolve();
    for await (const event of this.#client.stream({ signal })) {
      if (event.event === "hello") {
        if (!this.#json) await this.#showMessages();
        typing = begin();
      }
      if (!this.#json) await this.#show(event);
      else if (this.#isHere(event))
        this.#terminal.out(`${printable(JSON.stringify({ event: event.event, data: event.data }))}\n`);
    }
    if (signal.aborted) await typing;
  }

  async #say(line: string): Promise<void> {
    if (line.trim() === "") return;
    try {
      await this.#client.customerSays(this.#thread, line);
    } catch (error) {
      if (!(error instanceof SimError)) throw error;
      this.#terminal.err(`${printable(error.message)}\n`);
    }
  }

  async #show(event: StreamEvent): Promise<void> {
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

  /** Whether an event is about the thread, or about all of the sandbox. */
  #isHere(event: StreamEvent): boolean {
    if (event.event === "delivery") return event.data.threadId === this.#thread;
    if (event.event !== "request") return true;
    const named = threadIn(event.data);
    return named === undefined || named === this.#thread;
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

/** The thread that a call names. */
function threadIn({ body, query }: RequestRecord): string | undefined {
  const id = isObject(body) ? body.customerThreadId : query.customerThreadId;
  return typeof id === "string" || typeof id === "number" ? String(id) : undefined;
}
