/** `tail` and `chat`: what happens in a sandbox, live. */

import type { SimClient } from "../client/client.js";
import { SimError } from "../client/errors.js";
import { refusalOf } from "../client/log-entries.js";
import { titleOf, valueText } from "../client/misses.js";
import type { StateChange, StreamEvent } from "../client/stream.js";
import type { TranscriptEntry } from "../client/types.js";
import { printable } from "../kernel/printable.js";
import { threadOfRequest } from "../kernel/replies.js";
import { type Palette, paletteOf } from "../scenarios/reporters.js";
import { REMOTE, sessionOf } from "./action.js";
import { asText, command, word } from "./command.js";
import { FAILED, OK, type Terminal, type TypedLines, usesColor } from "./terminal.js";

/** How many entries are remembered, to print none twice. */
const MAX_TOLD = 10_000;

/** Describes the events of a sandbox in lines, each outcome once. */
function eventWords(palette: Palette): (event: StreamEvent) => string[] {
  const told = new Set<string>();
  const isNew = (key: string): boolean => {
    if (told.has(key)) return false;
    if (told.size >= MAX_TOLD) told.clear();
    told.add(key);
    return true;
  };
  const line = (label: string, paint: keyof Palette, text: string): string =>
    `${palette[paint](label.padEnd(7))}  ${printable(text)}`;
  return (event) => {
    switch (event.event) {
      case "request": {
        const { id, by, status, durationMs } = event.data;
        if (durationMs === null || !isNew(id)) return [];
        const who = by === "client" ? "" : ` (by the ${by})`;
        const why = status !== null && status >= 400 ? `: ${refusalOf(event.data) || "no reason"}` : "";
        const paint = status === null || status >= 400 ? "bad" : "good";
        return [line(id, paint, `${titleOf(event.data)}${who}${why}`)];
      }
      case "delivery": {
        const { id, status, reason, attempts } = event.data;
        const last = attempts.at(-1);
        if (status === "pending" && last === undefined) return [];
        if (!isNew(`${id} ${status} ${attempts.length}`)) return [];
        const answer = last === undefined ? "" : ` (${last.error ?? last.status})`;
        const why = reason === null ? "" : `: ${reason}`;
        return [line(id, status === "delivered" ? "good" : "bad", `${titleOf(event.data)}${answer}${why}`)];
      }
      case "warning":
        return [line("warning", "bad", `${event.data.code}: ${event.data.message}`)];
      case "state":
        return "all" in event.data
          ? [line("state", "faint", "the whole state may have changed")]
          : event.data.changes.map((change) => line("state", "faint", changeText(change)));
      case "reset":
        told.clear();
        return [line("reset", "strong", "the sandbox was reset")];
      case "moved":
        return [line("moved", "strong", "another process has taken over the sandbox")];
      default:
        return [];
    }
  };
}

/** A changed record: its changed fields. */
function changeText({ collection, id, before, after }: StateChange): string {
  const name = `${collection}/${id}`;
  if (before === null) return `${name} is new: ${valueText(after)}`;
  if (after === null) return `${name} was deleted`;
  const [old, now]: Readonly<Record<string, unknown>>[] = [{ ...before }, { ...after }];
  const fields = Object.keys({ ...old, ...now })
    .filter((field) => JSON.stringify(old?.[field]) !== JSON.stringify(now?.[field]))
    .map((field) => `${field}: ${valueText(old?.[field])} → ${valueText(now?.[field])}`);
  return `${name} ${fields.join(", ")}`;
}

/** The exit codes of commands that follow a sandbox. */
const FOLLOW_EXITS = {
  0: "the input of chat ended",
  1: "the simulator stopped, or the sandbox was deleted",
  2: "the simulator refused the call or does not respond, or an option or argument is invalid",
};

/** `messaging-sim tail`: calls, deliveries, warnings and state changes as they happen. */
export const TAIL = command({
  options: { ...REMOTE },
  examples: {
    "messaging-sim tail": "the events of the sandbox default, one per line",
    "messaging-sim tail --json": "each event as a JSON object",
  },
  exits: FOLLOW_EXITS,
  run: async (remote, terminal) => {
    const { client } = sessionOf(remote);
    const wordsOf = eventWords(paletteOf(usesColor(terminal)));
    await client.clock();
    for await (const event of client.stream()) {
      if (event.event === "hello") terminal.err(`Following sandbox ${remote.sandbox}; Ctrl+C ends it.\n`);
      const lines = remote.json ? [printable(JSON.stringify(event))] : wordsOf(event);
      for (const line of lines) terminal.out(`${line}\n`);
    }
    terminal.err("The simulator stopped.\n");
    return FAILED;
  },
});

/** `messaging-sim chat <thread>`: a person acts as the customer, and sees what happens. */
export const CHAT = command({
  options: { thread: word("the thread's id", asText), ...REMOTE },
  examples: {
    "messaging-sim chat 9001": "shows the conversation and follows it live; Ctrl+D exits",
  },
  exits: FOLLOW_EXITS,
  run: async ({ thread, ...remote }, terminal) => {
    const { client } = sessionOf(remote);
    await client.transcript(thread);
    return chat(client, thread, terminal, remote.json);
  },
});

/** How long to wait for replies after the end of input. */
const AFTER_END = "5s";

/** Runs until the end of input, or of the simulator. `json`: prints events instead of messages and lines. */
async function chat(client: SimClient, thread: string, terminal: Terminal, json: boolean): Promise<number> {
  const palette = paletteOf(usesColor(terminal));
  const wordsOf = eventWords(palette);
  const shown = new Set<string>();
  const print = (line: string) => terminal.out(`${line}\n`);
  /** Prints the messages that have not been shown yet. */
  const showMessages = async () => {
    if (json) return;
    for (const entry of await client.transcript(thread)) {
      if (!shown.has(entry.id)) print(messageText(entry, palette));
      shown.add(entry.id);
    }
  };
  const reading = new AbortController();
  let lines: TypedLines | undefined;
  const type = async () => {
    lines = terminal.lines?.();
    for await (const line of lines ?? []) {
      if (line.trim() === "") continue;
      await client.customerSays(thread, line).catch((error) => {
        if (!(error instanceof SimError)) throw error;
        terminal.err(`${printable(error.reason)}\n`);
      });
    }
    await client.idle({ within: AFTER_END }).catch(() => {});
    reading.abort();
  };
  let typing: Promise<void> | undefined;
  for await (const event of client.stream({ signal: reading.signal })) {
    if (event.event === "hello") {
      await showMessages();
      typing = type();
      // It only counts if the simulator is still there.
      typing.catch(() => {});
    }
    if (event.event === "reset") shown.clear();
    if (event.event === "state") await showMessages();
    if (!isAbout(event, thread)) continue;
    if (json) print(printable(JSON.stringify({ event: event.event, data: event.data })));
    else wordsOf(event).forEach(print);
  }
  if (reading.signal.aborted) {
    await typing;
    await showMessages();
    return OK;
  }
  lines?.close();
  terminal.err("The simulator stopped.\n");
  return FAILED;
}

/** Whether an event is a call or a delivery about a thread. */
function isAbout(event: StreamEvent, thread: string): boolean {
  if (event.event === "delivery") return event.data.threadId === thread;
  return event.event === "request" && [null, thread].includes(threadOfRequest(event.data));
}

function messageText(entry: TranscriptEntry, { strong, good }: Palette): string {
  const [first = "", ...more] = textOf(entry).split(/\r?\n/).map(printable);
  const mark = entry.kind === "internal" || entry.kind === "template" ? ` (${entry.kind})` : "";
  const author = (entry.kind === "customer" ? strong : good)(`${printable(entry.author)}${mark}:`);
  return [`${author} ${first}`, ...more.map((line) => `  ${line}`)].join("\n");
}

const textOf = ({ text, attachment }: TranscriptEntry): string =>
  [text, ...(attachment === null ? [] : [`[${attachment.name}: ${attachment.contentType}]`])]
    .filter((part) => part !== "")
    .join(" ");
