/** Short random sessions of several keys with random services, and what is false in what a calibration says of them. */

import { omitUndefined } from "../../src/kernel/objects.js";
import { Random } from "../../src/kernel/random.js";
import { milliseconds } from "../../src/kernel/units.js";
import { stable } from "../../src/lab/calibrate/answers.js";
import { exchangesIn } from "../../src/lab/calibrate/har.js";
import { learn } from "../../src/lab/calibrate/learn.js";
import type { Calibration } from "../../src/lab/calibrate/report.js";
import { alternativesOf } from "../../src/service/behaviour/alternatives.js";
import type { Answer, Entry } from "../../src/service/behaviour/entry.js";
import { answerSchema } from "../../src/service/behaviour/entry.js";
import type { BehaviourKey } from "../../src/service/behaviour/table.js";
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

/** Bodies that repeat something of the call, of entries whose names begin so. */
const ECHOES: Readonly<Record<string, readonly unknown[]>> = {
  "http.": [{ error: "${method} not here" }, { error: "nothing at ${path}" }],
  "threads.": [{ error: "thread ${customerThreadId} unknown" }, { id: "${request.customerThreadId}" }],
  "webhooks.notFound": [{ error: "no ${hookId}" }],
  "sendMessage.response": [
    { id: "${message.id}" },
    { to: "${request.customerThreadId}", said: "${message.text}" },
  ],
};

/** Another value of an entry, if one is known. */
function valueFor(key: BehaviourKey, dice: Dice): unknown {
  const entry = BEHAVIOUR_TABLE[key] as Entry;
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
    const echoes = Object.entries(ECHOES).find(([name]) => key.startsWith(name))?.[1] ?? [];
    return { status: dice.one(statuses), body: dice.one([...bodies, ...echoes]) };
  }
  const listed = OTHERS[key] ?? alternativesOf(entry);
  return typeof listed === "string" ? undefined : dice.one(listed);
}

/** Other values of a few entries. */
function settingsOf(dice: Dice): Settings {
  const keys = BEHAVIOUR_KEYS.filter((key) => !UNSEEN.test(key));
  const settings = Array.from({ length: 1 + dice.below(5) }, () => {
    const key = dice.one(keys);
    return [key, valueFor(key, dice)];
  });
  return omitUndefined(Object.fromEntries(settings));
}

const TEMPLATE = "HX0000000000000000000000000000000";
const LONG = "A somewhat longer text to the customer about the order";
const HOUR_MS = 3_600_000;

/** What a client, a curious developer and people do. */
function actionsOf(s: Session, dice: Dice, isSingle: boolean) {
  const { one } = dice;
  const word = (...words: string[]) => one(words.join(" ").split(" "));
  const thread = () => word("9001 9001 9001 9002 9002 9003 9004 9005 9101 66666666 7777777", ...s.threads);
  const id = () => (dice.chance(0.08) ? Number(thread()) : thread());
  const customer = () =>
    word("cust_001 cust_001 cust_002 cust_003 cust_004 cust_005 cust_101 cust_nobody cust_zip");
  const keys = "acme-token acme-token acme-token acme-token acme-no-delete globex-token who-knows-key";
  const by = () => ({ token: one(isSingle ? ["acme-token"] : [...keys.split(" "), null]) });
  const hook = () => `/api/webhooks/${word(...s.hooks, ...s.hooks, "crm nothing mine mine2")}`;
  const text = () =>
    one(["Hi", "Hello there", LONG, "", "We look", "😀😀😀😀", "x".repeat(1 + dice.below(60)), "Ça va bien"]);
  const people = ["ida", "IDA", "alan"].map((name) => `${name}@customer.example`);
  const email = () => one([...people, "not an address", "a@shop.co.uk"]);
  const internal = () => (dice.chance(0.3) ? { internal: dice.chance(0.7) } : {});
  const save = (...variables: readonly object[]) => s.graphql("save-hook-mutation", one(variables), by());
  const say = () => s.send({ customerThreadId: id(), text: text(), ...internal() }, by());
  const look = () => s.details(thread(), by());
  return [
    look,
    look,
    () => s.templates(thread(), by()),
    say,
    say,
    () => s.send({ text: text() }, { ...by(), token: "acme-token" }),
    () => {
      const [customerThreadId, sid] = [thread(), one([`${TEMPLATE}1`, `${TEMPLATE}2`, "HX0badbadbad"])];
      return s.send({ customerThreadId, contentSid: sid, ...internal() }, by());
    },
    () => {
      const [customerThreadId, status] = [id(), one([...THREAD_STATUSES, "closed"])];
      const body = { customerThreadId, status, ...(dice.chance(0.05) && { foo: 1 }) };
      return s.post("/api/update-thread-status", body, by());
    },
    () => s.move(one(THREAD_STATUSES), "9001", { ...by(), token: "acme-token" }),
    () => s.profile(customer(), by()),
    () => {
      const names = [{ firstName: "Nora" }, { lastName: "Vale" }, { company: "" }, {}, { firstName: null }];
      const others = [{ firstName: 7 }, { firstName: "Alan", company: "New Co" }, { nick: "x" }];
      return s.update(customer(), one([...names, ...others]), by());
    },
    () => {
      const businessId = word("1001 1001 1002 1003 2001 4040");
      const message = one(["Hi", "", "Question about shoes"]);
      const mails = [{ email: email() }, { email: email() }];
      const user = one([...mails, { sms: "+33612345678" }, { whatsapp: "+33612345678" }, {}]);
      return s.start({ businessId, message, user }, by());
    },
    () => {
      const bot = "https://bot.example/a https://bot.example/b http://127.0.0.1:9/x http://far.example/x";
      const url = word(bot, `${s.hook}/second`);
      return s.subscribe(
        url,
        one([["messages"], ["messages", "transfers"], [], ["messages", "messages"]]),
        by(),
      );
    },
    () => s.get(word("/api/webhooks/ /api/webhooks"), by()),
    () => s.get(hook(), by()),
    () => {
      const flags = [{ enabled: false }, { enabled: true }];
      const others = [{ subscribedEvents: ["transfers"] }, { url: "https://bot.example/z" }, {}];
      return s.post(`${hook()}/update`, one([...flags, ...others]), by());
    },
    () => {
      const [path, type] = [`${hook()}/delete`, dice.chance(0.2) ? "" : "application/json"];
      return s.post(path, undefined, { ...by(), headers: { "content-type": type } });
    },
    () => {
      const url = word(`${s.hook}/legacy http://old.example/x https://bot.example/l`);
      return s.post("/api/update-hook-url", { url }, by());
    },
    () => {
      const some = [["mine"], ["mine", "crm"], null].map((hookId) => ({ hookId }));
      return s.graphql("get-hook-query", one([undefined, null, {}, { hookId: [] }, ...some]), by());
    },
    () =>
      save(
        { hookId: "mine", url: "https://bot.example/g" },
        { hookId: "mine2", url: `${s.hook}/gq` },
        { hookId: "mine", enabled: false },
        { hookId: "mine", enabled: null },
        { hookId: "new-one" },
      ),
    () => s.graphql("delete-hook-mutation", { hookId: one([["mine"], ["mine", "zip"], [], ["zip"]]) }, by()),
    () => s.graphql("unknown-query", undefined, by()),
    () => {
      const names = "nobody bruno Chloe chloe ana"
        .split(" ")
        .map((name) => ({ email: `${name}@acme.example` }));
      return s.remove(one([{}, ...names]), by());
    },
    () => s.details(`9001&customerThreadId=${word("66666666 9003")}`, by()),
    () => s.get("/api/get-whatsapp-templates/?customerThreadId=9001", by()),
    () => s.details("9001", { ...by(), headers: { "content-type": "" } }),
    () => s.get(`/api/${word("nothing zip/zap customers")}`, by()),
    () => s.get(word("/api/update-thread-status /api/send-message-to-customer-thread"), by()),
    () => {
      const options = by();
      return s.post("/api/send-message-to-customer-thread", one(["{ broken", "[]", "null"]), options);
    },
    () => s.send({ text: "plain" }, { ...by(), headers: { "content-type": "text/plain" } }),
    () => s.send({ text: "Hello", contentSid: null }, by()),
    () => {
      const customerThreadId = word("9001 9001 9002 9003 9101", ...s.threads);
      return s.say(one(["Hello?", "Where is it", "ok"]), customerThreadId);
    },
    () => s.showPicture("See"),
    () => {
      const customerThreadId = word("9001 9002 9003");
      return s.employee("Let me see", dice.chance(0.4), customerThreadId).catch(() => {});
    },
    () => s.people(`/threads/${word("9001 9003")}/transfer`, { businessId: word("1001 1002") }),
    () => s.pass(one([60_000, HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS, 24 * HOUR_MS - 3_000, 24 * HOUR_MS])),
    () => s.pass(dice.below(3_000)),
    () => {
      const answers = [
        { status: 500, body: { error: "oops" } },
        { status: 408, body: {} },
      ];
      const [times, then] = [1 + dice.below(2), one(["unavailable", "rate-limited", ...answers])];
      return s.control("POST", "/faults", { on: "request", times, then });
    },
  ];
}

/** What recorders and gateways make of some answers: a page, or a body that is not recorded. */
function damaged(entry: RecordedEntry, dice: Dice): RecordedEntry {
  const { response } = entry;
  if (entry._direction !== "call") return entry;
  const { text = "", ...content } = response.content;
  if (response.status >= 500 && dice.chance(0.5))
    return { ...entry, response: { ...response, content: { ...content, text: "<html>Bad gateway</html>" } } };
  if (dice.chance(0.97) || text === "") return entry;
  return { ...entry, response: { ...response, content: { ...content, size: text.length } } };
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

/** A value in one spelling: durations in milliseconds, lists of statuses sorted. */
function spelled(key: string, value: unknown): string {
  if (/duration|lifetime/.test(key) && value !== null) return String(milliseconds(value as string));
  if (key === "threadStatus.transitions" && typeof value === "object") {
    const moves = value as Record<string, readonly string[]>;
    const all = THREAD_STATUSES.map((from) =>
      THREAD_STATUSES.filter((to) => to !== from && moves[from]?.includes(to)),
    );
    return all.every(({ length }) => length === THREAD_STATUSES.length - 1) ? '"any"' : JSON.stringify(all);
  }
  return stable(value);
}

function countOf(value: unknown): number {
  if (typeof value === "string") return milliseconds(value);
  const { requests = value } = (value ?? { requests: Number.POSITIVE_INFINITY }) as { requests?: unknown };
  return Number(requests);
}

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
export async function sessionOutcome(seed: number) {
  const { settings, entries } = await randomSession(seed);
  const trace = exchangesIn(entries, "session.har");
  if (trace.length === 0) return { settings, wrong: [], learned: 0 };
  const calibration = await learn([...trace].sort((a, b) => a.at - b.at));
  const changed = calibration.learned.filter(({ key }) => key in settings);
  return { settings, wrong: falsehoods(settings, calibration), learned: changed.length };
}
