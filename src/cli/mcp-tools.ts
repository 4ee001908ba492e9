/** The tools for coding assistants: actions by hand and further control routes, each with its schema. */
import type { SimClient } from "../client/client.js";
import type { ReplyMatch } from "../client/expectations.js";
import type { Fault } from "../client/handles.js";
import { SINK } from "../client/log-entries.js";
import { titleOf } from "../client/misses.js";
import type { QueryOf } from "../client/routes.js";
import type { BehaviourRow } from "../client/types.js";
import { ROUTES } from "../control/routes/index.js";
import { formatProblem } from "../kernel/problems.js";
import { anyOf, optional as maybe, object, record, type Schema, string, unknown } from "../kernel/schema.js";
import { readScenario } from "../scenarios/read.js";
import { prettyReport } from "../scenarios/reporters.js";
import { STEPS } from "../scenarios/steps/index.js";
import { scenarioFormat } from "../server/scenario-format.js";
import { type Action, action } from "./action.js";
import { ACTIONS, faultArmed, thread } from "./control-commands.js";
import { scenarioProblems } from "./scenario-files.js";

/** What is said where no reply is due. */
const NOT_DUE: Readonly<Record<string, string>> = {
  replied: "No reply is due: the newest message in the thread is a reply.",
  "nothing-asked": "No reply is due: the customer has not written since the last reply or reset.",
};

const scenario = anyOf([string(), record(unknown())], {
  description: "the scenario: YAML or JSON text, or an object",
});

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

/** The entries of a log in lines. @throws SimError if there are none because there is no such thread */
async function found<T>(client: SimClient, entries: readonly T[], threadId?: string): Promise<readonly T[]> {
  if (entries.length === 0 && threadId !== undefined) await client.data("threads").get(threadId);
  return entries;
}

const listed = (lines: readonly string[], what: string, threadId?: string): string =>
  lines.length > 0
    ? lines.join("\n")
    : `No ${what}${threadId === undefined ? "" : ` about thread ${threadId}`}.`;

const behaviourLine = ({ key, value, source }: BehaviourRow): string =>
  `${key}: ${JSON.stringify(value)} (${source})`;

/** Every tool, by name. */
export const TOOLS: Readonly<Record<string, Action>> = {
  threads: ACTIONS.threads,
  transcript: action({
    does: "Read the conversation of a thread, with the deliveries of each message's event",
    input: object({ thread }),
    readOnly: true,
    call: async ({ client }, { thread: id }) => ({
      entries: await client.transcript(id),
      text: await client.transcript(id, "md"),
    }),
    says: ({ text }) => text,
  }),
  customer_says: ACTIONS.say,
  employee_says: ACTIONS.employee,
  window: ACTIONS.window,
  transfer: ACTIONS.transfer,
  status: ACTIONS.status,
  advance: ACTIONS.advance,
  requests: action({
    does: "List the calls to the simulated API, oldest first",
    input: ofThread(inputOf("listRequests")),
    readOnly: true,
    call: async ({ client }, { thread: threadId, ...query }) =>
      found(client, await client.requests({ ...query, threadId } as QueryOf<"GET /requests">), threadId),
    says: (requests, given) =>
      listed(
        requests.map((one) => `${one.id}  ${titleOf(one)}`),
        "API calls",
        given.thread,
      ),
  }),
  deliveries: action({
    does: "List the deliveries of events to webhooks, with their outcome, oldest first",
    input: ofThread(inputOf("listDeliveries")),
    readOnly: true,
    call: async ({ client }, { thread: threadId, ...query }) =>
      found(client, await client.deliveries({ ...query, threadId } as QueryOf<"GET /deliveries">), threadId),
    says: (deliveries, given) => {
      const lines = deliveries.map((one) => {
        const why = one.reason ?? one.attempts.at(-1)?.error;
        return `${one.id}  ${titleOf(one)}${why ? ` (${why})` : ""}`;
      });
      return listed(lines, "deliveries", given.thread);
    },
  }),
  why_no_reply: action({
    does: "Explain why the customer of a thread has no reply from the bot yet",
    input: object({ thread }),
    readOnly: true,
    call: ({ api }, { thread: id }) => api.route("GET /threads/:id/why")(id),
    says: ({ cause, text = NOT_DUE[cause] ?? "", remedy = "", entry }) =>
      [text, remedy, entry === undefined ? "" : `(See ${entry}.)`].filter(Boolean).join(" "),
  }),
  wait_for_reply: action({
    does: "Wait for the bot's next visible message in a thread, as the step reply of scenarios does",
    input: object({ thread, ...replyKeys }) as Schema<{ thread: string } & ReplyMatch>,
    readOnly: true,
    call: ({ client }, { thread: id, ...asked }) => client.waitForReply(id, asked),
    says: ({ text, contentSid, request }) => {
      const what = text === null ? `the template ${contentSid}` : `"${text}"`;
      return `The bot replied ${what} (${request.id}).`;
    },
  }),
  faults: ACTIONS.faults,
  fault: action({
    does: "Arm a fault: calls to the simulated API or deliveries to webhooks go wrong",
    input: inputOf("addFault"),
    call: ({ api }, rule) => api.route("POST /faults")(rule as Fault),
    says: faultArmed,
  }),
  behaviour: action({
    does: "Show the entries of the behaviour table with their current values; or change values",
    input: object({
      key: maybe(string({ description: "only keys with this prefix, such as window" })),
      values: maybe(inputOf("patchBehaviour") as Schema<object>),
    }),
    call: async ({ api }, { key = "", values }) => {
      if (values === undefined)
        return (await api.route("GET /behaviour")()).filter((row) => row.key.startsWith(key));
      const rows = await api.route("PATCH /behaviour")(values);
      return rows.filter((row) => Object.hasOwn(values, row.key));
    },
    says: (rows, { key }) => rows.map(behaviourLine).join("\n") || `No key begins with "${key}".`,
  }),
  connect: action({
    ...ACTIONS.connect,
    input: inputOf("connect") as Schema<{ url: string; header?: string }>,
    call: (session, { url: address, header }) => ACTIONS.connect.call(session, { address, header }),
  }),
  check_scenario: action({
    does: "Check a scenario without running it; reports every problem with its location",
    input: object({ scenario }),
    readOnly: true,
    call: async ({ client, sandbox }, { scenario: source }) => {
      const standard = {
        fixture: async () => ({ ...(await client.state()) }),
        name: `in sandbox ${sandbox}`,
      };
      const problems = await scenarioProblems(await readScenario(scenarioFormat(), source), standard);
      return { ok: problems.length === 0, problems };
    },
    says: ({ problems }) => problems.map(formatProblem).join("\n") || "The scenario is valid.",
  }),
  run_scenario: action({
    does: "Run a scenario in the sandbox as it stands; if it has fixtures, clock, seed or behaviour, the sandbox is reset to them first, and the bot connected again",
    input: object({ scenario }),
    call: async ({ client }, { scenario: source }) => client.run(source, { hook: await connectedTo(client) }),
    says: (report) => prettyReport(report),
  }),
  reset: ACTIONS.reset,
};

/** The address that every enabled webhook leads to, as `connect` makes it. */
async function connectedTo(client: SimClient): Promise<string | undefined> {
  const webhooks = await client.data("webhooks").list({ enabled: true });
  const [url, ...others] = new Set(webhooks.map((webhook) => webhook.url));
  return others.length > 0 || url?.startsWith(SINK) ? undefined : url;
}
