/** The tools for coding assistants: commands and control routes, each with its schema. */
import type { SimClient } from "../client/client.js";
import { SimError } from "../client/errors.js";
import type { Fault } from "../client/handles.js";
import { SINK } from "../client/log-entries.js";
import { titleOf } from "../client/misses.js";
import type { DeliveryQuery, RequestQuery } from "../client/sandbox.js";
import type { BehaviourRow } from "../client/types.js";
import { ROUTES } from "../control/routes/index.js";
import { formatProblem } from "../kernel/problems.js";
import {
  anyOf,
  boolean,
  type Infer,
  optional as maybe,
  object,
  oneOf,
  record,
  type Schema,
  string,
  unknown,
} from "../kernel/schema.js";
import { durationSchema, milliseconds } from "../kernel/units.js";
import { unknownKey } from "../kernel/words.js";
import { COVERAGE_REPORTERS } from "../lab/coverage/reporters.js";
import { readScenario } from "../scenarios/read.js";
import { prettyReport } from "../scenarios/reporters.js";
import { STEPS } from "../scenarios/steps/index.js";
import { scenarioFormat } from "../server/scenario-format.js";
import { THREAD_STATUSES } from "../service/world/records.js";
import { CONTROL_COMMANDS } from "./control-commands.js";
import { scenarioProblems } from "./scenario-files.js";

/** The result of a tool: for people, and for programs. */
interface Outcome {
  readonly words: string;
  readonly value: object;
}

interface Tool<S extends Schema = Schema> {
  readonly description: string;
  readonly input: S;
  /** It changes nothing. */
  readonly readOnly?: true;
  call(session: Session, input: Infer<S>): Promise<Outcome>;
}

const tool = <S extends Schema>(declared: Tool<S>): Tool => declared as Tool;

/** The simulator and the sandbox that an assistant works with. */
export interface Session {
  readonly client: SimClient;
  readonly sandbox: string;
}

/** What is said where no reply is due. */
const NOT_DUE: Readonly<Record<string, string>> = {
  replied: "No reply is due: the newest message in the thread is a reply.",
  "nothing-asked": "No reply is due: the customer has not written since the last reply or reset.",
};

const thread = string({ description: "the thread's id, such as 9001: see threads" });
const scenario = anyOf([string(), record(unknown())], {
  description: "the scenario: YAML or JSON text, or an object",
});
const snapshotName = object({ name: string({ description: "the name of the snapshot" }) });

type RouteId = (typeof ROUTES)[number]["id"];

/** The inputs of a control route, as its table declares them. */
function inputOf(id: RouteId): Schema {
  const { query, body } = ROUTES.find((route) => route.id === id) ?? {};
  return body ?? query ?? object({});
}

/** The query of a list, in which a thread has the same name as everywhere else. */
const ofThread = ({ properties: { threadId: _, ...properties } = {} }: Schema) =>
  object({ thread: maybe(thread), ...properties }) as Schema<{ thread?: string }>;

/** The conditions on a reply, as in the step `reply`. */
const { thread: _, ...replyKeys } = STEPS.find(({ key }) => key === "reply")?.long.properties ?? {};

const listed = (lines: readonly string[], none: string): string =>
  lines.length === 0 ? none : lines.join("\n");

/** The entries of a log. @throws SimError if there are none because there is no such thread */
async function entriesIn(client: SimClient, lines: readonly string[], what: string, threadId?: string) {
  if (lines.length === 0 && threadId !== undefined) await client.data("threads").get(threadId);
  return listed(lines, `No ${what}${threadId === undefined ? "" : ` about thread ${threadId}`}.`);
}

const behaviourLine = ({ key, value, source }: BehaviourRow): string =>
  `${key}: ${JSON.stringify(value)} (${source})`;

const { threads, say, window: setWindow, advance, transfer, connect, reset } = CONTROL_COMMANDS;

/** Runs a command in process, and returns its output. */
async function outcomeOf<T extends object, V>(
  command: { call(client: SimClient, values: V): Promise<T>; inWords(outcome: T, values: V): string },
  client: SimClient,
  values: V,
): Promise<Outcome> {
  const value = await command.call(client, values);
  return { words: command.inWords(value, values), value };
}

/** Every tool, by name. */
export const TOOLS: Readonly<Record<string, Tool>> = {
  threads: tool({
    description: "List the threads: id, channel, status, window, customer, last message",
    input: object({}),
    readOnly: true,
    call: async ({ client }) => {
      const found = await threads.call(client, {});
      return { words: threads.inWords(found, {}), value: { threads: found } };
    },
  }),
  transcript: tool({
    description: "Read the conversation of a thread, with the deliveries of each message's event",
    input: object({ thread }),
    readOnly: true,
    call: async ({ client }, { thread: id }) => ({
      words: await client.transcript(id, "md"),
      value: { entries: await client.transcript(id) },
    }),
  }),
  customer_says: tool({
    description: "Send a message as the customer of a thread; webhooks get a message event",
    input: object({ thread, text: string({ description: "what the customer writes" }) }),
    call: ({ client }, { thread: id, text }) => outcomeOf(say, client, { thread: id, text: [text] }),
  }),
  employee_says: tool({
    description: "Send a message as an employee, from the service's own app",
    input: object({
      thread,
      text: string({ description: "what the employee writes" }),
      by: maybe(string({ description: "the employee's user id; default: the first one of the business" })),
      internal: maybe(boolean({ description: "only employees see it" })),
    }),
    call: async ({ client }, { thread: id, text, by, internal = false }) => {
      const userId = by ?? (await employeeOf(client, id));
      const sent = await client.employeeSays(id, userId, text, { internal });
      return { words: `Employee ${userId} wrote message ${sent.id} in thread ${id}: ${text}`, value: sent };
    },
  }),
  window: tool({
    description: "Open or close the messaging window of a thread",
    input: object({ thread, state: oneOf(["open", "closed"]) }),
    call: ({ client }, values) => outcomeOf(setWindow, client, values),
  }),
  transfer: tool({
    description: "Move a thread to another business; webhooks get a transfer event",
    input: object({
      thread,
      to: string({ description: "the id of the new business" }),
      by: maybe(string({ description: "the user id of the employee who takes the thread" })),
    }),
    call: async ({ client }, { thread: id, to, by }) => {
      const changed = await client.transfer(id, to, by);
      return { words: transfer.inWords(changed, { thread: id, business: to }), value: changed };
    },
  }),
  status: tool({
    description: "Set the status of a thread directly, without a call to the simulated API",
    input: object({ thread, status: oneOf(THREAD_STATUSES) }),
    call: async ({ client }, { thread: id, status }) => {
      const changed = await client.setStatus(id, status);
      return { words: `Thread ${id} is ${changed.status}.`, value: changed };
    },
  }),
  advance: tool({
    description: "Advance the sandbox's clock; everything that falls due runs, in order",
    input: object({ by: durationSchema }),
    call: ({ client }, { by }) => outcomeOf(advance, client, { duration: milliseconds(by) }),
  }),
  requests: tool({
    description: "List the calls to the simulated API, oldest first",
    input: ofThread(inputOf("listRequests")),
    readOnly: true,
    call: async ({ client }, { thread: threadId, ...query }) => {
      const requests = await client.requests({ ...query, threadId } as RequestQuery);
      const lines = requests.map((one) => `${one.id}  ${titleOf(one)}`);
      return { words: await entriesIn(client, lines, "API calls", threadId), value: { requests } };
    },
  }),
  deliveries: tool({
    description: "List the deliveries of events to webhooks, with their outcome, oldest first",
    input: ofThread(inputOf("listDeliveries")),
    readOnly: true,
    call: async ({ client }, { thread: threadId, ...query }) => {
      const deliveries = await client.deliveries({ ...query, threadId } as DeliveryQuery);
      const lines = deliveries.map((one) => {
        const why = one.reason ?? one.attempts.at(-1)?.error;
        return `${one.id}  ${titleOf(one)}${why ? ` (${why})` : ""}`;
      });
      return { words: await entriesIn(client, lines, "deliveries", threadId), value: { deliveries } };
    },
  }),
  why_no_reply: tool({
    description: "Explain why the customer of a thread has no reply from the bot yet",
    input: object({ thread }),
    readOnly: true,
    call: async ({ client }, { thread: id }) => {
      const why = await client.why(id);
      const { text = NOT_DUE[why.cause] ?? "", remedy = "", entry } = why;
      const seen = entry === undefined ? "" : `(See ${entry}.)`;
      return { words: [text, remedy, seen].filter(Boolean).join(" "), value: { ...why } };
    },
  }),
  wait_for_reply: tool({
    description: "Wait for the bot's next visible message in a thread, as the step reply of scenarios does",
    input: object({ thread, ...replyKeys }) as Schema<{ thread: string; within?: string }>,
    readOnly: true,
    call: async ({ client }, { thread: id, within, ...asked }) => {
      const wait = within === undefined ? {} : { within: milliseconds(within) };
      const { text, contentSid, request } = await client.waitForReply(id, { ...asked, ...wait });
      const what = text === null ? `the template ${contentSid}` : `"${text}"`;
      return { words: `The bot replied ${what} (${request.id}).`, value: { text, contentSid, request } };
    },
  }),
  faults: tool({
    description: "List the armed faults, with how often each fired; or remove all",
    input: object({ clear: maybe(boolean({ description: "remove all of them" })) }),
    call: async ({ client }, { clear }) => {
      if (clear === true) await client.clearFaults();
      const faults = await client.faults();
      const lines = faults.map((fault) => JSON.stringify(fault));
      return { words: listed(lines, "No faults are armed."), value: { faults } };
    },
  }),
  fault: tool({
    description: "Arm a fault: calls to the simulated API or deliveries to webhooks go wrong",
    input: inputOf("addFault"),
    call: async ({ client }, rule) => {
      const fault = await client.fault(rule as Fault);
      return { words: `Fault ${fault.id} is armed.`, value: { id: fault.id } };
    },
  }),
  behaviour: tool({
    description: "Show the entries of the behaviour table with their current values; or change values",
    input: object({
      key: maybe(string({ description: "only keys with this prefix, such as window" })),
      values: maybe(inputOf("patchBehaviour")),
    }),
    call: async ({ client }, { key = "", values }) => {
      const rows =
        values === undefined ? await client.behaviour() : await client.patchBehaviour(values as object);
      const isShown = (name: string) =>
        values === undefined ? name.startsWith(key) : Object.hasOwn(Object(values), name);
      const shown = rows.filter((row) => isShown(row.key));
      return {
        words: listed(
          shown.map(behaviourLine),
          unknownKey(
            "key",
            key,
            rows.map((row) => row.key),
          ),
        ),
        value: { behaviour: shown },
      };
    },
  }),
  connect: tool({
    description: "Point every webhook of the sandbox at the bot's address",
    input: inputOf("connect"),
    call: ({ client }, input) => {
      const { url, header } = input as { url: string; header?: string };
      return outcomeOf(connect, client, { address: url, header });
    },
  }),
  coverage: tool({
    description: "Show which documented outcomes the bot has met, and which it has not",
    input: object({}),
    readOnly: true,
    call: async ({ client }) => {
      const report = await client.coverage();
      return { words: COVERAGE_REPORTERS.pretty(report), value: report };
    },
  }),
  check_scenario: tool({
    description: "Check a scenario without running it; reports every problem with its location",
    input: object({ scenario }),
    readOnly: true,
    call: async ({ client, sandbox }, { scenario: source }) => {
      const standard = {
        fixture: async () => ({ ...(await client.state()) }),
        name: `in sandbox ${sandbox}`,
      };
      const problems = await scenarioProblems(await readScenario(scenarioFormat(), source), standard);
      const words = listed(problems.map(formatProblem), "The scenario is valid.");
      return { words, value: { ok: problems.length === 0, problems } };
    },
  }),
  run_scenario: tool({
    description:
      "Run a scenario in the sandbox as it stands; if it has fixtures, clock, seed or behaviour, the sandbox is reset to them first, and the bot connected again",
    input: object({ scenario }),
    call: async ({ client }, { scenario: source }) => {
      const report = await client.run(source, { hook: await connectedTo(client) });
      return { words: prettyReport(report), value: report };
    },
  }),
  snapshot: tool({
    description: "Save state and clock of the sandbox under a name",
    input: snapshotName,
    call: async ({ client }, { name }) => {
      const kept = await client.snapshot(name);
      return { words: `State and clock were saved as snapshot ${name}.`, value: kept };
    },
  }),
  restore: tool({
    description: "Restore the state and clock of a snapshot",
    input: snapshotName,
    call: async ({ client }, { name }) => {
      await client.restore(name);
      return { words: `State and clock were restored from snapshot ${name}.`, value: { restored: name } };
    },
  }),
  reset: tool({
    description: "Reset the sandbox to its initial state; snapshots stay",
    input: object({}),
    call: ({ client }) => outcomeOf(reset, client, {}),
  }),
};

/** The address that every enabled webhook leads to, as `connect` makes it. */
async function connectedTo(client: SimClient): Promise<string | undefined> {
  const webhooks = await client.data("webhooks").list({ enabled: true });
  const [url, ...others] = new Set(webhooks.map((webhook) => webhook.url));
  return others.length > 0 || url?.startsWith(SINK) ? undefined : url;
}

/** The first user of the thread's business. */
async function employeeOf(client: SimClient, id: string): Promise<string> {
  const { businessId } = await client.data("threads").get(id);
  const user = (await client.data("users").list()).find(({ businessIds }) =>
    businessIds.includes(businessId),
  );
  if (user !== undefined) return user.id;
  throw new SimError(
    `business ${businessId} of thread ${id} has no user: name one with by`,
    null,
    "unusable-input",
  );
}
