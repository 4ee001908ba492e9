/** Short random sessions of several keys with random services, and what is false in what a calibration says of them. */

import { Random } from "../../src/kernel/random.js";
import { milliseconds } from "../../src/kernel/units.js";
import { exchangesIn } from "../../src/lab/calibrate/har.js";
import { learn } from "../../src/lab/calibrate/learn.js";
import type { Calibration } from "../../src/lab/calibrate/report.js";
import { alternativesOf } from "../../src/service/behaviour/alternatives.js";
import type { Answer, Entry } from "../../src/service/behaviour/entry.js";
import { answerSchema } from "../../src/service/behaviour/entry.js";
import { BEHAVIOUR_KEYS, BEHAVIOUR_TABLE, PROFILES } from "../../src/service/behaviour/table.js";
import { THREAD_STATUSES } from "../../src/service/world/records.js";
import type { RecordedEntry, Session } from "./session.js";
import { recorded } from "./session.js";

type Settings = Readonly<Record<string, unknown>>;

/** A stream of choices. */
class Dice extends Random {
  below = (limit: number): number => Math.floor(this.fraction() * limit);
  one = <T>(list: readonly T[]): T => list[this.below(list.length)] as T;
  chance = (share: number): boolean => this.fraction() < share;
}

/** Only browsers and the simulator's own bounds show these. */
const UNSEEN = /^(?:cors|limits\.overload|http\.unknownHost|delivery\.(?:signature|timeoutMs))/;
const OTHERS: Readonly<Record<string, readonly unknown[]>> = {
  "window.duration": ["90s", "1h", "12h", "24h", "25h", "47m"],
  "window.channels": [["WHATSAPP", "SMS"], [], ["SMS"]],
  "templates.channels": [["WHATSAPP", "SMS"], [], ["WHATSAPP", "EMAIL"]],
  "webhooks.graphqlEvents": [["messages", "transfers"], ["transfers"], []],
  "limits.textLength": [3, 5, 10, 19, 26, 40],
  "limits.webhooks": [1, 2, 3],
  "limits.bodyBytes": [60, 80, 100],
  "limits.rate": [
    { requests: 5, per: "10s" },
    { requests: 10, per: "1m" },
    { requests: 3, per: "5s" },
    { requests: 20, per: "1h" },
  ],
  "tokens.lifetime": ["1m", "1h", "24h"],
  "customers.unknownType": ["lead"],
  "permissions.required": [
    { listWebhooks: "hooks:read" },
    { updateThreadStatus: "user:delete" },
    { getCustomerProfile: "user:delete" },
    { createWebhook: "x" },
    { sendMessageToCustomerThread: "user:delete", getCustomerThreadDetails: "x" },
  ],
  "threadStatus.transitions": [
    { waiting: ["replied", "resolved"], replied: ["waiting", "resolved"], resolved: ["replied"] },
    { waiting: ["resolved"] },
    {},
    { waiting: ["waiting", "replied"], replied: ["replied", "resolved"], resolved: ["waiting"] },
  ],
  "delivery.attempts": [2, 3],
  "delivery.backoff": [["5s"], ["1m", "2m"]],
  "delivery.success": [[200], [202]],
  "delivery.autoDisable": [1, 2],
};

/** Other values of a few entries. */
function settingsOf(dice: Dice): Settings {
  const settings: Record<string, unknown> = {};
  const keys = BEHAVIOUR_KEYS.filter((key) => !UNSEEN.test(key));
  for (let left = 1 + dice.below(5); left > 0; left -= 1) {
    const key = dice.one(keys);
    const entry = BEHAVIOUR_TABLE[key] as Entry;
    const listed = alternativesOf(entry);
    if (entry.schema === answerSchema) {
      const { status } = entry.default as Answer;
      const bodies = [
        { says: `this is ${key}` },
        { error: `no: ${key}` },
        {},
        [],
        "text",
        { error: { code: 7 } },
      ];
      const statuses = status >= 400 ? [400, 401, 403, 404, 409, 422, status] : [200, 201, 202];
      settings[key] = { status: dice.one(statuses), body: dice.one([...bodies, ...echoes(key)]) };
    } else if (OTHERS[key] !== undefined) settings[key] = dice.one(OTHERS[key]);
    else if (typeof listed !== "string") settings[key] = dice.one(listed);
  }
  return settings;
}

/** Bodies that repeat something of the call. */
const echoes = (key: string): unknown[] =>
  key.startsWith("http.")
    ? [{ error: "${method} not here" }, { error: "nothing at ${path}" }]
    : key.startsWith("threads.")
      ? [{ error: "thread ${customerThreadId} unknown" }, { id: "${request.customerThreadId}" }]
      : key === "webhooks.notFound"
        ? [{ error: "no ${hookId}" }]
        : key === "sendMessage.response"
          ? [{ id: "${message.id}" }, { to: "${request.customerThreadId}", said: "${message.text}" }]
          : [];

const SEND = "/api/send-message-to-customer-thread";
const WIDGET = "/api/widget/send-message-to-business";
const JSON_TYPE = { "content-type": "application/json" };
const TEMPLATE = "HX0000000000000000000000000000000";

/** What a client, a curious developer and people do. */
function actionsOf(s: Session, dice: Dice, isSingle: boolean) {
  const made: { threads: string[]; hooks: string[] } = { threads: [], hooks: [] };
  const thread = () =>
    dice.one([
      "9001",
      "9001",
      "9001",
      "9002",
      "9002",
      "9003",
      "9004",
      "9005",
      "9101",
      "66666666",
      "7777777",
      ...made.threads,
    ]);
  const customer = () =>
    dice.one([
      "cust_001",
      "cust_001",
      "cust_002",
      "cust_003",
      "cust_004",
      "cust_005",
      "cust_101",
      "cust_nobody",
      "cust_zip",
    ]);
  const keys = isSingle
    ? ["acme-token"]
    : [
        "acme-token",
        "acme-token",
        "acme-token",
        "acme-token",
        "acme-no-delete",
        "globex-token",
        "who-knows-key",
        null,
      ];
  const token = () => dice.one(keys);
  const hook = () => dice.one([...made.hooks, ...made.hooks, "crm", "nothing", "mine", "mine2"]);
  const id = () => (dice.chance(0.08) ? Number(thread()) : thread());
  const text = () =>
    dice.one([
      "Hi",
      "Hello there",
      "A somewhat longer text to the customer about the order",
      "",
      "We look",
      "😀😀😀😀",
      "x".repeat(1 + dice.below(60)),
      "Ça va bien",
    ]);
  const email = () =>
    dice.one([
      "ida@customer.example",
      "IDA@customer.example",
      "alan@customer.example",
      "not an address",
      "a@shop.co.uk",
    ]);
  const internal = () => (dice.chance(0.3) ? { internal: dice.chance(0.7) } : {});
  const get = (path: string, options = {}) => s.get(path, { token: token(), ...options });
  const post = async (path: string, body: unknown, options = {}) => {
    const answer = await s.post(path, body, { token: token(), ...options });
    if (answer?.customerThreadId !== undefined) made.threads.push(String(answer.customerThreadId));
    const hookId = answer?.hookId ?? answer?.webhook?.hookId;
    if (hookId !== undefined) made.hooks.push(String(hookId));
  };
  const graphql = (query: string, variables?: unknown) =>
    post("/graphql", { query, ...(variables === undefined ? {} : { variables }) });
  const details = (name: unknown = thread()) => `/api/get-customer-thread-details?customerThreadId=${name}`;
  return [
    () => get(details()),
    () => get(details()),
    () => get(`/api/get-whatsapp-templates?customerThreadId=${thread()}`),
    () => post(SEND, { customerThreadId: id(), text: text(), ...internal() }),
    () => post(SEND, { customerThreadId: id(), text: text(), ...internal() }),
    () => post(SEND, { customerThreadId: "9001", text: text() }, { token: "acme-token" }),
    () =>
      post(SEND, {
        customerThreadId: thread(),
        contentSid: dice.one([`${TEMPLATE}1`, `${TEMPLATE}2`, "HX0badbadbad"]),
        ...internal(),
      }),
    () =>
      post("/api/update-thread-status", {
        customerThreadId: id(),
        status: dice.one([...THREAD_STATUSES, "closed"]),
        ...(dice.chance(0.05) && { foo: 1 }),
      }),
    () =>
      post(
        "/api/update-thread-status",
        { customerThreadId: "9001", status: dice.one(THREAD_STATUSES) },
        { token: "acme-token" },
      ),
    () => get(`/api/customers/${customer()}/profile`),
    () =>
      post(
        `/api/customers/${customer()}/profile/update`,
        dice.one([
          { firstName: "Nora" },
          { lastName: "Vale" },
          { company: "" },
          {},
          { firstName: null },
          { firstName: 7 },
          { firstName: "Alan", company: "New Co" },
          { nick: "x" },
        ]),
      ),
    () =>
      post(WIDGET, {
        businessId: dice.one(["1001", "1001", "1002", "1003", "2001", "4040"]),
        message: dice.one(["Hi", "", "Question about shoes"]),
        user: dice.one([
          { email: email() },
          { email: email() },
          { sms: "+33612345678" },
          { whatsapp: "+33612345678" },
          {},
        ]),
      }),
    () =>
      post("/api/webhooks/", {
        url: dice.one([
          "https://bot.example/a",
          "https://bot.example/b",
          "http://127.0.0.1:9/x",
          "http://far.example/x",
          `${s.hook}/second`,
        ]),
        subscribedEvents: dice.one([["messages"], ["messages", "transfers"], [], ["messages", "messages"]]),
      }),
    () => get(dice.one(["/api/webhooks/", "/api/webhooks"])),
    () => get(`/api/webhooks/${hook()}`),
    () =>
      post(
        `/api/webhooks/${hook()}/update`,
        dice.one([
          { enabled: false },
          { enabled: true },
          { subscribedEvents: ["transfers"] },
          { url: "https://bot.example/z" },
          {},
        ]),
      ),
    () =>
      post(`/api/webhooks/${hook()}/delete`, undefined, {
        headers: dice.chance(0.2) ? { "content-type": "" } : JSON_TYPE,
      }),
    () =>
      post("/api/update-hook-url", {
        url: dice.one([`${s.hook}/legacy`, "http://old.example/x", "https://bot.example/l"]),
      }),
    () =>
      graphql(
        "get-hook-query",
        dice.one([
          undefined,
          null,
          {},
          { hookId: [] },
          { hookId: ["mine"] },
          { hookId: ["mine", "crm"] },
          { hookId: null },
        ]),
      ),
    () =>
      graphql(
        "save-hook-mutation",
        dice.one([
          { hookId: "mine", url: "https://bot.example/g" },
          { hookId: "mine2", url: `${s.hook}/gq` },
          { hookId: "mine", enabled: false },
          { hookId: "mine", enabled: null },
          { hookId: "new-one" },
        ]),
      ),
    () =>
      graphql(
        "delete-hook-mutation",
        dice.one([{ hookId: ["mine"] }, { hookId: ["mine", "zip"] }, { hookId: [] }, { hookId: ["zip"] }]),
      ),
    () => graphql("unknown-query"),
    () =>
      post(
        "/api/user/delete-by-email",
        dice.one([
          {},
          { email: "nobody@acme.example" },
          { email: "bruno@acme.example" },
          { email: "Chloe@acme.example" },
          { email: "chloe@acme.example" },
          { email: "ana@acme.example" },
        ]),
      ),
    () => get(`${details("9001")}&customerThreadId=${dice.one(["66666666", "9003"])}`),
    () => get(`/api/get-whatsapp-templates/?customerThreadId=9001`),
    () => get(details("9001"), { headers: { "content-type": "" } }),
    () => get(`/api/${dice.one(["nothing", "zip/zap", "customers"])}`),
    () => get(dice.one(["/api/update-thread-status", SEND])),
    () => s.call("POST", SEND, { token: token(), body: dice.one(["{ broken", "[]", "null"]) }),
    () =>
      post(SEND, { customerThreadId: "9001", text: "plain" }, { headers: { "content-type": "text/plain" } }),
    () => post(SEND, { customerThreadId: "9001", text: "Hello", contentSid: null }),
    () =>
      s.people(`/threads/${dice.one(["9001", "9001", "9002", "9003", "9101", ...made.threads])}/inbound`, {
        text: dice.one(["Hello?", "Where is it", "ok"]),
      }),
    () =>
      s.people("/threads/9001/inbound", {
        text: "See",
        attachment: { uuid: "5e1", contentType: "image/png", name: "a.png", contentLength: 1234 },
      }),
    () =>
      s
        .people(`/threads/${dice.one(["9001", "9002", "9003"])}/employee-message`, {
          userId: "501",
          text: "Let me see",
          internal: dice.chance(0.4),
        })
        .catch(() => {}),
    () =>
      s.people(`/threads/${dice.one(["9001", "9003"])}/transfer`, { businessId: dice.one(["1001", "1002"]) }),
    () =>
      s.pass(
        dice.one([60_000, 3_600_000, 6 * 3_600_000, 12 * 3_600_000, 24 * 3_600_000 - 3_000, 86_400_000]),
      ),
    () => s.pass(dice.below(3_000)),
    () =>
      s.control("POST", "/faults", {
        on: "request",
        times: 1 + dice.below(2),
        then: dice.one([
          "unavailable",
          "rate-limited",
          { status: 500, body: { error: "oops" } },
          { status: 408, body: {} },
        ]),
      }),
  ];
}

/** What recorders and gateways make of some answers: a page, or a body that is not recorded. */
function damaged(entry: RecordedEntry, dice: Dice): RecordedEntry {
  const { request, response, _direction } = entry as {
    request: object;
    response: { status: number; content: { text?: string } };
    _direction: string;
  };
  if (_direction !== "call") return entry;
  const { text = "", ...content } = response.content;
  if (response.status >= 500 && dice.chance(0.5))
    return { ...entry, response: { ...response, content: { ...content, text: "<html>Bad gateway</html>" } } };
  if (dice.chance(0.97) || text === "") return entry;
  return { ...entry, request, response: { ...response, content: { ...content, size: text.length } } };
}

/** A random session, and the settings of its service. */
export async function randomSession(seed: number): Promise<{ settings: Settings; entries: RecordedEntry[] }> {
  const dice = new Dice(seed * 7919 + 13);
  const settings = settingsOf(dice);
  const [latency, failing] = [dice.one([0, 0, 120, 250]), dice.chance(0.15)];
  const [isSingle, calls, share] = [dice.chance(0.4), 5 + dice.below(45), dice.one([1, 0.4, 0.2])];
  const entries = await recorded(
    settings,
    async (session) => {
      const all = actionsOf(session, dice, isSingle);
      const some = all.filter(() => dice.chance(share));
      for (let left = calls; left > 0; left -= 1) await dice.one(some.length === 0 ? all : some)();
    },
    {
      latency: () => dice.below(latency + 1),
      receiver: () => (failing && dice.chance(0.5) ? 500 : 200),
    },
  );
  return { settings, entries: entries.map((entry) => damaged(entry, dice)) };
}

/** A value in one spelling: durations in milliseconds, lists of statuses sorted, objects with sorted keys. */
function spelled(key: string, value: unknown): string {
  if (/duration|lifetime/.test(key) && value !== null) return String(milliseconds(value as string));
  if (key === "threadStatus.transitions" && typeof value === "object") {
    const moves = value as Record<string, readonly string[]>;
    const all = THREAD_STATUSES.map((from) =>
      THREAD_STATUSES.filter((to) => to !== from && moves[from]?.includes(to)),
    );
    return all.every(({ length }) => length === THREAD_STATUSES.length - 1) ? '"any"' : JSON.stringify(all);
  }
  return JSON.stringify(value, (_, part) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

const countOf = (value: unknown): number =>
  value === null
    ? Number.POSITIVE_INFINITY
    : typeof value === "object"
      ? (value as { requests: number }).requests
      : typeof value === "number"
        ? value
        : milliseconds(value as string);

/** These refusals may be set to what the specification's own tables rule out, which is a contradiction then. */
const AGAINST_TABLES: Readonly<Record<string, RegExp>> = {
  "Errors / Widget route": /^(?:auth\.|widget\.unknownBusiness)/,
  "Errors / Delete user by email": /^users\.deleteSelfError/,
};

/** What a calibration says and is not so. */
export function falsehoods(
  settings: Settings,
  { learned, intervals, contradictions }: Calibration,
): string[] {
  const truth = (key: string) => (key in settings ? settings[key] : (PROFILES.documented as Settings)[key]);
  const wrong = learned.flatMap(({ key, value }) =>
    spelled(key, value) === spelled(key, truth(key))
      ? []
      : [`learned ${key} = ${JSON.stringify(value)}, but it is ${JSON.stringify(truth(key))}`],
  );
  const false_ = intervals.flatMap((interval) => {
    const { key, atLeast, atMost } = interval;
    if (Array.isArray(atMost)) {
      const pauses = truth(key) as readonly string[];
      const isLess = atMost.some(
        (most, index) =>
          milliseconds(most) + 1_000 < milliseconds(pauses[Math.min(index, pauses.length - 1)] as string),
      );
      return isLess ? [`${key} at most ${atMost}, but it is ${pauses}`] : [];
    }
    const count = countOf(truth(key));
    const isBelow = atLeast !== undefined && count < countOf(atLeast);
    const isAbove = atMost !== undefined && count > countOf(atMost);
    return isBelow || isAbove ? [`${JSON.stringify(interval)}, but it is ${JSON.stringify(truth(key))}`] : [];
  });
  const accused = contradictions
    .filter(({ section }) => !Object.keys(settings).some((key) => AGAINST_TABLES[section]?.test(key)))
    .map((one) => `contradiction ${JSON.stringify(one)}`);
  return [...wrong, ...false_, ...accused];
}

/** What is false of one random session, and how many values were learned. */
export async function sessionOutcome(
  seed: number,
): Promise<{ settings: Settings; wrong: string[]; learned: number }> {
  const { settings, entries } = await randomSession(seed);
  const trace = exchangesIn(entries, "session.har");
  if (trace.length === 0) return { settings, wrong: [], learned: 0 };
  const calibration = await learn([...trace].sort((a, b) => a.at - b.at));
  const changed = calibration.learned.filter(({ key }) => key in settings);
  return { settings, wrong: falsehoods(settings, calibration), learned: changed.length };
}
