/** The commands that make one call to the control API. */
import { SimClient } from "../client/client.js";
import { messageOfDelivery } from "../client/log-entries.js";
import type { DeliveryQuery, EventData } from "../client/sandbox.js";
import type { Connection, DeliveryRecord, EventType, FixtureDocument } from "../client/types.js";
import { printable, printableIn } from "../kernel/printable.js";
import { UnusableDocument } from "../kernel/problems.js";
import { isoOf } from "../kernel/realtime.js";
import type { Schema } from "../kernel/schema.js";
import { createAjv, schemaProblems } from "../kernel/schema-problems.js";
import { counted } from "../kernel/words.js";
import { SERVE_OPTIONS } from "../server/config/options.js";
import { messageEventSchema, transferEventSchema } from "../service/domain/events.js";
import {
  address,
  asText,
  type CommandHelp,
  command,
  controlToken,
  duration,
  flag,
  type OptionTable,
  oneOf,
  optional,
  positionalPairs,
  simulatorAddress,
  type Values,
  withDefault,
  word,
  words,
} from "./command.js";
import { OK } from "./terminal.js";

const DEFAULT_URL = `http://${SERVE_OPTIONS.host.default}:${SERVE_OPTIONS.port.default}`;

export const REMOTE = {
  url: simulatorAddress("the simulator's address", DEFAULT_URL),
  sandbox: withDefault("the sandbox", asText, "default"),
  "control-token": controlToken("the simulator's control token"),
  json: flag("print the response as JSON"),
};

/** The exit codes of commands that make a call. */
const CALL_EXITS = {
  0: "the call succeeded",
  2: "the simulator refused the call or does not respond, or an option or argument is unusable",
};

type Remote = Values<typeof REMOTE>;

export const clientOf = ({ url, sandbox, controlToken }: Omit<Remote, "json">): SimClient =>
  new SimClient({ url, sandbox, controlToken });

/** A command's call, and how its outcome is shown. */
interface OneCall<O extends OptionTable, T> extends Pick<CommandHelp, "examples"> {
  readonly options: O;
  readonly call: (client: SimClient, values: Values<O>) => Promise<T>;
  readonly inWords: (outcome: T, values: Values<O>) => string;
  /** What happened afterwards, as lines. */
  readonly followUp?: (client: SimClient, outcome: T, values: Values<O>) => Promise<readonly string[]>;
}

/** A command that makes one call, and prints its outcome in words or as JSON. */
const callCommand = <O extends OptionTable, T>({
  options,
  examples,
  call,
  inWords,
  followUp,
}: OneCall<O, T>) => ({
  call,
  inWords,
  ...command({
    options: { ...options, ...REMOTE },
    examples,
    exits: CALL_EXITS,
    run: async (read, { out }) => {
      const values = read as unknown as Values<O> & Remote;
      const client = clientOf(values);
      const outcome = await call(client, values);
      out(`${values.json ? printable(JSON.stringify(outcome)) : inWords(printableIn(outcome), values)}\n`);
      const lines = values.json ? [] : ((await followUp?.(client, outcome, values)) ?? []);
      for (const line of lines) out(`  ${printable(line)}\n`);
      return OK;
    },
  }),
});

export const thread = word("the thread's id", asText);
const EVENTS: Readonly<Record<EventType, Schema>> = {
  message: messageEventSchema,
  transfer: transferEventSchema,
};

export const CONTROL_COMMANDS = {
  threads: callCommand({
    options: {},
    examples: {
      "messaging-sim threads": "a line for each thread, with its last message",
      "messaging-sim threads --json": "as JSON, with customer and last message in full",
    },
    call: async (client) => threadsIn(await client.state()),
    inWords: threadTable,
  }),
  say: callCommand({
    options: { thread, text: words("what the customer writes") },
    examples: {
      "messaging-sim say 9001 Is my order ready?": "the words need no quotes",
      "messaging-sim say 9001 -- -1": "a text that begins with a dash",
    },
    call: (client, { thread: id, text }) => client.customerSays(id, text.join(" ")),
    inWords: ({ id, text, threadId }) => `The customer of thread ${threadId} wrote message ${id}: ${text}`,
    followUp: (client, { id, threadId }) =>
      outcomes(client, "messages", { threadId }, (delivery) => messageOfDelivery(delivery) === id),
  }),
  window: callCommand({
    options: { thread, state: word("open or closed", oneOf("state", { open: true, closed: false })) },
    examples: {
      "messaging-sim window 9001 closed": "as if the customer had been silent too long",
    },
    call: (client, { thread: id, state }) =>
      state === "open" ? client.openWindow(id) : client.closeWindow(id),
    inWords: ({ id, isMessagingWindowOpen, windowClosesAt }) => {
      const until = windowClosesAt == null ? "" : ` until ${isoOf(windowClosesAt)}`;
      return `The messaging window of thread ${id} is ${isMessagingWindowOpen ? `open${until}` : "closed"}.`;
    },
  }),
  advance: callCommand({
    options: { duration: word("how far, such as 25h", duration(0)) },
    examples: {
      "messaging-sim advance 25h": "runs everything that falls due in these hours, in order",
    },
    call: (client, { duration: by }) => client.advance(by),
    inWords: ({ now, frozen }) => `The clock is at ${isoOf(now)}${frozen ? ", and frozen" : ""}.`,
  }),
  transfer: callCommand({
    options: { thread, business: word("the id of the new business", asText) },
    examples: {
      "messaging-sim transfer 9001 1002": "webhooks get a transfer event",
    },
    call: (client, { thread: id, business }) => client.transfer(id, business),
    inWords: ({ id, businessId }) => `Thread ${id} is now with business ${businessId}.`,
  }),
  emit: callCommand({
    options: {
      event: word("message or transfer", oneOf("event", EVENTS)),
      fields: positionalPairs("fields of the payload's data, such as customerThreadId=9001"),
    },
    examples: {
      "messaging-sim emit message customerThreadId=9001 messageBody=Hello":
        "a message event from the customer, without a message",
      "messaging-sim emit transfer customerThreadId=9001": "missing fields are taken from the thread",
    },
    call: async (client, { event, fields }) => ({
      deliveries: await client.emit(event, dataOf(EVENTS[event], fields)),
    }),
    inWords: ({ deliveries }, { event }) =>
      deliveries.length === 0
        ? `No webhook is subscribed to a ${event} event.`
        : `The ${event} event goes out in ${counted(deliveries.length, "delivery", "deliveries")}: ${deliveries.join(", ")}`,
    followUp: async (client, { deliveries }) =>
      deliveries.length === 0 ? [] : outcomes(client, "events", {}, ({ id }) => deliveries.includes(id)),
  }),
  connect: callCommand({
    options: {
      address: word("the receiver: an http or https URL, or sink:NAME", (text) =>
        text.startsWith("sink:") ? text : address(text),
      ),
      header: optional("send the sandbox's token with each delivery, in this header", asText),
    },
    examples: {
      "messaging-sim connect http://127.0.0.1:3000/hook": "sends all webhooks there",
      "messaging-sim connect http://127.0.0.1:3000/hook --header token":
        "also sends the sandbox's API key with each delivery",
    },
    call: (client, { address: to, header }) => client.connect(to, header === undefined ? {} : { header }),
    inWords: ({ webhooks }, { header }) =>
      webhooks.map((webhook) => connectedText(webhook, header)).join("\n") || "No webhook.",
  }),
  reset: callCommand({
    options: {},
    examples: {
      "messaging-sim reset": "restores messages and clock, and clears journal and deliveries",
    },
    call: (client) => client.reset(),
    inWords: ({ sandbox }) => `The sandbox ${sandbox} was reset to its initial state.`,
  }),
};

/** Each thread with its customer and last message. */
function threadsIn({ threads, customers, messages }: FixtureDocument) {
  const customerOf = new Map(customers.map((customer) => [customer.id, customer]));
  const lastIn = new Map(messages.map((message) => [message.threadId, message]));
  return threads.map(({ customerId, ...thread }) => ({
    ...thread,
    customer: customerOf.get(customerId) ?? null,
    lastMessage: lastIn.get(thread.id) ?? null,
  }));
}

/** The maximum length of a message in a line. */
const MAX_TEXT = 60;

const shortened = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);

function threadTable(threads: ReturnType<typeof threadsIn>): string {
  const rows = threads.map(({ id, channel, status, isMessagingWindowOpen, customer, lastMessage }) => [
    id,
    channel,
    status,
    isMessagingWindowOpen ? "open" : "closed",
    customer?.displayName ?? customer?.id ?? "",
    shortened(lastMessage?.text ?? ""),
  ]);
  const heads = ["id", "channel", "status", "window", "customer", "last message"];
  const shown = [heads, ...rows];
  const widths = heads.map((_, column) =>
    shown.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), 0),
  );
  const line = (row: readonly string[]) =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ");
  return shown.map((row) => line(row).trimEnd()).join("\n");
}

/** The fields of an event: text if the payload has one, otherwise JSON. @throws UnusableDocument */
function dataOf({ properties = {} }: Schema, fields: Readonly<Record<string, string>>): EventData<EventType> {
  const known: Readonly<Record<string, Schema>> = properties.data?.properties ?? {};
  const data = Object.fromEntries(
    Object.entries(fields).map(([name, text]) => [
      name,
      [known[name]?.type].flat().includes("string") ? text : asJson(text),
    ]),
  );
  const validate = createAjv().compile({ type: "object", properties: known, additionalProperties: false });
  if (!validate(data)) throw new UnusableDocument(schemaProblems(validate.errors, data));
  return data;
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function connectedText(
  { hookId, url, previousUrl, token, enabled, changed, blocked }: Connection["webhooks"][number],
  header: string | undefined,
): string {
  const before =
    previousUrl === null ? ", and is new" : changed ? ` instead of ${previousUrl}` : ", as before";
  const brings = header === undefined ? "" : `; ${header}: ${token ?? "no token in its organization"}`;
  const idle = enabled ? "" : "; it is disabled and receives nothing";
  return `${hookId} → ${url}${before}${brings}${idle}${blocked === null ? "" : `; blocked: ${blocked}`}`;
}

/** How long a command waits for deliveries before it reports them as pending, ms. */
const OUTCOME_MS = 3_000;

/** The outcome of each delivery that an action caused, one per line. */
async function outcomes(
  client: SimClient,
  events: string,
  query: DeliveryQuery,
  isOurs: (delivery: DeliveryRecord) => boolean,
): Promise<string[]> {
  await client.idle({ timeoutMs: OUTCOME_MS }).catch(() => {});
  const ours = (await client.deliveries(query)).filter(isOurs);
  // After a restore, a new message can have the id of a discarded one: the latest call counts.
  const lines = ours.filter(({ causedBy }) => causedBy === ours.at(-1)?.causedBy).map(outcomeText);
  if (lines.length > 0) return lines;
  return [
    `no delivery: no enabled webhook of the organization is subscribed to ${events} (messaging-sim connect ADDRESS)`,
  ];
}

/** `d5 to crm at sink:demo: delivered (200)` */
function outcomeText({ id, hookId, url, status, reason, attempts }: DeliveryRecord): string {
  const last = attempts.at(-1);
  const answer = last === undefined ? "" : ` (${last.error ?? last.status})`;
  const stands = status === "pending" && last === undefined ? "on its way" : status;
  return `${id} to ${hookId} at ${url}: ${stands}${answer}${reason === null ? "" : `: ${reason}`}`;
}
