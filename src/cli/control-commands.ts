/** The commands that make one call to the control API, a row each; most are also tools for assistants. */
import { SINK } from "../client/log-entries.js";
import type { Connection, EventType, FaultRule, FixtureDocument, Thread } from "../client/types.js";
import { EVENT_TYPES } from "../kernel/names.js";
import { keysOf, omitUndefined } from "../kernel/objects.js";
import { UnusableDocument } from "../kernel/problems.js";
import { isoOf } from "../kernel/realtime.js";
import { boolean, integer, object, oneOf, optional, record, type Schema, string } from "../kernel/schema.js";
import { problemsBySchema } from "../kernel/schema-problems.js";
import { durationSchema } from "../kernel/units.js";
import { counted } from "../kernel/words.js";
import { FAULT_TARGETS } from "../sandbox/fault-effects.js";
import { FAULT_PRESET_NAMES, FAULT_PRESETS } from "../sandbox/faults.js";
import { messageEventSchema, transferEventSchema } from "../service/domain/events.js";
import { THREAD_STATUSES } from "../service/world/records.js";
import { type ByHand, byHand, commandFor, type Session } from "./action.js";
import { closedWindow, dueByTime, messageOutcomes, openWindows, outcomes } from "./aftermath.js";
import { programAddress } from "./command.js";

export const thread = string({ description: "the thread's id, such as 9001: see threads" });

const EVENTS: Readonly<Record<EventType, Schema>> = {
  message: messageEventSchema,
  transfer: transferEventSchema,
};

/** The shells and formats of `env`: how a variable is set. */
const ENV_FORMATS = {
  sh: (all: Variables) => `export ${all.map(([name, value]) => `${name}=${quoted(value)}`).join(" ")}`,
  fish: (all: Variables) => all.map(([name, value]) => `set -gx ${name} ${quoted(value)}`).join("\n"),
  powershell: (all: Variables) =>
    all.map(([name, value]) => `$env:${name} = '${value.replaceAll("'", "''")}'`).join("\n"),
  dotenv: (all: Variables) => all.map(([name, value]) => `${name}=${value}`).join("\n"),
  json: (all: Variables) => JSON.stringify(Object.fromEntries(all), null, 2),
};
type Variables = readonly (readonly [name: string, value: string])[];

/** A value as a word of a shell. */
const quoted = (value: string): string =>
  /^[\w.:/@-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;

export const ACTIONS = {
  env: byHand({
    group: "Simulator",
    does: "Print the variables that lead a program here, for eval or .env",
    input: object({
      format: optional(oneOf(keysOf(ENV_FORMATS), { description: `${keysOf(ENV_FORMATS).join(", ")}` })),
    }),
    examples: {
      "messaging-sim env": 'for eval "$(messaging-sim env)": sets MESSAGING_SIM_URL and MESSAGING_SIM_TOKEN',
      "messaging-sim env --format dotenv > .env": "for programs that read such a file",
    },
    call: async ({ client, sandbox }) => {
      const { url, tokens } = await client.sandboxInfo(sandbox);
      return omitUndefined({ MESSAGING_SIM_URL: url, MESSAGING_SIM_TOKEN: Object.values(tokens)[0] });
    },
    says: (variables, { format = "sh" }) => ENV_FORMATS[format](Object.entries(variables)),
  }),
  connect: byHand({
    group: "Simulator",
    positionals: "<address>",
    does: "Point every webhook of the sandbox at your program's address",
    input: object({
      address: string({
        description: "the receiver: an http or https URL, a port of this computer, or sink:NAME",
      }),
      header: optional(
        string({ minLength: 1, description: "send the sandbox's token with each delivery, in this header" }),
      ),
    }),
    examples: {
      "messaging-sim connect http://127.0.0.1:3000/hook": "sends all webhooks there",
      "messaging-sim connect 3000": "sends them to that port of this computer",
      "messaging-sim connect http://127.0.0.1:3000/hook --header token":
        "also sends the sandbox's API key with each delivery",
    },
    call: ({ api }, { address, header }) =>
      api.route("POST /connect")({
        url: address.startsWith(SINK) ? address : programAddress(address),
        header,
      }),
    says: ({ webhooks }, { header }) =>
      webhooks.map((webhook) => connectedText(webhook, header)).join("\n") || "No webhook.",
    failure: {
      when: "deliveries to the address are blocked",
      is: ({ webhooks }) => webhooks.some(({ blocked }) => blocked !== null),
    },
  }),
  fault: byHand({
    group: "Simulator",
    positionals: "<preset>",
    does: "Let calls to the simulated API, or deliveries to webhooks, go wrong",
    input: object({
      preset: oneOf(FAULT_PRESET_NAMES, {
        description: Object.entries(FAULT_PRESETS)
          .map(([name, { description }]) => `${name} ${description}`)
          .join("; "),
      }),
      on: optional(oneOf(FAULT_TARGETS, { description: "request or delivery (default: request if it can)" })),
      match: optional(
        record(string(), { description: "only what matches, as key=value (repeatable): operation, path …" }),
      ),
      times: optional(integer({ minimum: 1, description: "how often (default: until it is removed)" })),
    }),
    examples: {
      "messaging-sim fault unavailable --times 2": "the next two calls get 503",
      "messaging-sim fault slow --on delivery": "webhooks arrive late",
      "messaging-sim fault rate-limited --match operation=sendMessageToCustomerThread":
        "only calls that send a message",
    },
    call: ({ api }, { preset, on = FAULT_PRESETS[preset].fits[0] ?? "request", match, times }) =>
      api.route("POST /faults")({ on, match: match && matchIn(match), times, then: preset }),
    says: faultArmed,
  }),
  faults: byHand({
    group: "Simulator",
    does: "List the faults, with how often each was seen and fired; or remove all",
    input: object({ clear: optional(boolean({ description: "remove all of them" })) }),
    examples: { "messaging-sim faults": "a line for each", "messaging-sim faults --clear": "removes all" },
    call: async ({ api }, { clear }) => {
      if (clear === true) await api.route("DELETE /faults")();
      return api.route("GET /faults")();
    },
    says: (faults) => faults.map(faultText).join("\n") || "No faults are armed.",
  }),
  reset: byHand({
    group: "Simulator",
    does: "Reset the sandbox to its initial state; snapshots stay",
    input: object({}),
    examples: { "messaging-sim reset": "restores messages and clock, and clears journal and deliveries" },
    call: ({ api }) => api.route("POST /reset")(),
    says: ({ sandbox }) => `The sandbox ${sandbox} was reset to its initial state.`,
  }),
  state: byHand({
    group: "Simulator",
    does: "Print the state of a running sandbox as a fixture",
    input: object({}),
    isExact: true,
    examples: { "messaging-sim state > now.json": "a fixture to start from" },
    call: ({ api }) => api.route("GET /state")(),
    says: (state) => JSON.stringify(state, null, 2),
  }),
  threads: byHand({
    group: "Conversations",
    does: "List the threads: id, channel, status, window, customer, last message",
    input: object({}),
    readOnly: true,
    examples: {
      "messaging-sim threads": "a line for each thread, with its last message",
      "messaging-sim threads --json": "as JSON, with customer and last message in full",
    },
    call: async ({ api }) => threadsIn(await api.route("GET /state")()),
    says: threadTable,
  }),
  say: byHand({
    group: "Conversations",
    positionals: "<thread> <text..>",
    does: "Write as the customer of a thread; webhooks get a message event",
    input: object({ thread, text: string({ description: "what the customer writes" }) }),
    examples: {
      'messaging-sim say 9001 "Is my order ready?"': "the quotes are only needed for characters of the shell",
      "messaging-sim say 9001 -- -1": "a text that begins with a dash",
    },
    call: ({ api }, { thread: id, text }) => api.route("POST /threads/:id/inbound")(id, { text }),
    says: ({ id, text, threadId }) => `The customer of thread ${threadId} wrote message ${id}: ${text}`,
    after: async (session, message) => [
      ...(await messageOutcomes(session, message)),
      ...(await closedWindow(session, message.threadId)),
    ],
  }),
  employee: byHand({
    group: "Conversations",
    positionals: "<thread> <text..>",
    does: "Write as an employee, in the service's own app",
    input: object({
      thread,
      text: string({ description: "what the employee writes" }),
      by: optional(string({ description: "the employee's user id (default: the business's first user)" })),
      internal: optional(boolean({ description: "only employees see it" })),
    }),
    examples: {
      'messaging-sim employee 9001 "I will take over"': "the customer and your program see it",
      "messaging-sim employee 9001 Angry customer --internal": "a note that the customer does not see",
    },
    call: async ({ client, api }, { thread: id, text, by, internal = false }) => {
      const userId = by ?? (await employeeOf(client, id));
      return api.route("POST /threads/:id/employee-message")(id, { userId, text, internal });
    },
    says: ({ id, text, threadId, employeeUserId }) =>
      `Employee ${employeeUserId} wrote message ${id} in thread ${threadId}: ${text}`,
    after: (session, message) => messageOutcomes(session, message),
  }),
  window: byHand({
    group: "Conversations",
    positionals: "<thread> <state>",
    does: "Open or close the messaging window of a thread",
    input: object({ thread, state: oneOf(["open", "closed"], { description: "open or closed" }) }),
    examples: { "messaging-sim window 9001 closed": "as if the customer had been silent too long" },
    call: ({ api }, { thread: id, state }) =>
      api.route("POST /threads/:id/window")(id, { open: state === "open" }),
    says: ({ id, isMessagingWindowOpen, windowClosesAt }) => {
      const until = windowClosesAt == null ? "" : ` until ${isoOf(windowClosesAt)}`;
      return `The messaging window of thread ${id} is ${isMessagingWindowOpen ? `open${until}` : "closed"}.`;
    },
  }),
  status: byHand({
    group: "Conversations",
    positionals: "<thread> <status>",
    does: "Set the status of a thread directly, without a call to the simulated API",
    input: object({ thread, status: oneOf(THREAD_STATUSES, { description: THREAD_STATUSES.join(", ") }) }),
    examples: { "messaging-sim status 9001 resolved": "as if somebody had closed the conversation" },
    call: ({ api }, { thread: id, status }) =>
      api.route("PATCH /data/:collection/:id")("threads", id, {
        status,
      }) as Promise<unknown> as Promise<Thread>,
    says: ({ id, status }) => `Thread ${id} is ${status}.`,
  }),
  transfer: byHand({
    group: "Conversations",
    positionals: "<thread> <to>",
    does: "Move a thread to another business; webhooks get a transfer event",
    input: object({
      thread,
      to: string({ description: "the id of the new business" }),
      by: optional(string({ description: "the user id of the employee who takes the thread" })),
    }),
    examples: { "messaging-sim transfer 9001 1002": "webhooks get a transfer event" },
    call: ({ api }, { thread: id, to, by }) =>
      api.route("POST /threads/:id/transfer")(id, { businessId: to, employeeUserId: by }),
    says: ({ id, businessId }) => `Thread ${id} is now with business ${businessId}.`,
  }),
  emit: byHand({
    group: "Conversations",
    positionals: "<event> [fields..]",
    does: "Emit an event with the given fields, without changing state",
    input: object({
      event: oneOf(EVENT_TYPES, { description: "message or transfer" }),
      fields: optional(
        record(string(), {
          description: "fields of the payload's data as key=value, such as customerThreadId=9001",
        }),
      ),
    }),
    examples: {
      "messaging-sim emit message customerThreadId=9001 messageBody=Hello":
        "a message event from the customer, without a message",
      "messaging-sim emit transfer customerThreadId=9001": "missing fields are taken from the thread",
    },
    call: ({ api }, { event, fields = {} }) =>
      api.route("POST /events")({ eventType: event, data: dataOf(EVENTS[event], fields) }),
    says: ({ deliveries }, { event }) =>
      deliveries.length === 0
        ? `No webhook is subscribed to a ${event} event.`
        : `Sent a ${event} event to ${counted(deliveries.length, "webhook")} (${deliveries.join(", ")}).`,
    after: async ({ client }, { deliveries }) =>
      deliveries.length === 0 ? [] : outcomes(client, "events", ({ id }) => deliveries.includes(id)),
  }),
  advance: byHand({
    group: "Conversations",
    positionals: "<by>",
    does: "Move the clock forward, and run the retries and expiries on the way",
    input: object({ by: { ...durationSchema, description: "how far: a duration such as 90s or 25h" } }),
    examples: { "messaging-sim advance 25h": "runs everything that falls due in these hours, in order" },
    call: ({ api }, { by }) => api.route("POST /clock/advance")({ by }),
    says: ({ now, frozen }) => `The clock is at ${isoOf(now)}${frozen ? ", and frozen" : ""}.`,
    before: dueByTime,
    after: async (session, _clock, _given, before) => [
      ...(before === (await dueByTime(session)) ? ["Nothing was due."] : []),
      ...(await openWindows(session)),
    ],
  }),
} satisfies Readonly<Record<string, ByHand>>;

/** The commands of the rows. */
export const CONTROL_COMMANDS = keysOf(ACTIONS).map((name) => commandFor(name, ACTIONS[name]));

/** `f1: the next 2 requests, unavailable` */
export function faultArmed({ note, ...rule }: FaultRule): string {
  return `Armed ${faultWords(rule)}.${note === undefined ? "" : ` Note: ${note}.`}`;
}

const faultText = ({ seen, fired, note, ...rule }: FaultRule): string =>
  `${faultWords(rule)}: seen ${seen}, fired ${fired}${note === undefined ? "" : ` (${note})`}`;

function faultWords({ id, on, preset, then, match, times }: Omit<FaultRule, "seen" | "fired">): string {
  const what = preset ?? JSON.stringify(then);
  const which = match === undefined ? "" : ` that match ${JSON.stringify(match)}`;
  const plural = on === "request" ? "requests" : "deliveries";
  const often = times === undefined ? `all ${plural}` : `${counted(times, on, plural)}`;
  return `${id}: ${what} for ${often}${which}`;
}

/** A match whose status is a number, as in the logs. */
const matchIn = ({ status, ...match }: Readonly<Record<string, string>>) =>
  status === undefined ? match : { ...match, status: asJson(status) };

/** The first user of the thread's business. */
async function employeeOf(client: Session["client"], id: string): Promise<string> {
  const { businessId } = await client.data("threads").get(id);
  const users = await client.data("users").list();
  const user = users.find(({ businessIds }) => businessIds.includes(businessId));
  if (user !== undefined) return user.id;
  const message = `business ${businessId} of thread ${id} has no user: name one`;
  throw new UnusableDocument([{ path: "by", message }]);
}

/** Each thread with its customer and last message. */
function threadsIn({ threads, customers, messages }: FixtureDocument) {
  const customerOf = new Map(customers.map((customer) => [customer.id, customer]));
  const lastIn = new Map(messages.map((message) => [message.threadId, message]));
  return threads.map(({ customerId, ...rest }) => ({
    ...rest,
    customer: customerOf.get(customerId) ?? null,
    lastMessage: lastIn.get(rest.id) ?? null,
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
function dataOf({ properties = {} }: Schema, fields: Readonly<Record<string, string>>) {
  const known: Readonly<Record<string, Schema>> = properties.data?.properties ?? {};
  const data = Object.fromEntries(
    Object.entries(fields).map(([name, text]) => [
      name,
      [known[name]?.type].flat().includes("string") ? text : asJson(text),
    ]),
  );
  const schema = { type: "object", properties: known, additionalProperties: false } as const;
  const problems = problemsBySchema(schema, data);
  if (problems.length > 0) throw new UnusableDocument(problems);
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
