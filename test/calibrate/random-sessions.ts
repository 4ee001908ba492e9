/** Sessions with services whose settings are random and secret, and what a calibration makes of them. */
import { readScenarios } from "../../src/cli/scenario-files.js";
import { createSimulator } from "../../src/index.js";
import { milliseconds } from "../../src/kernel/units.js";
import { stable } from "../../src/lab/calibrate/answers.js";
import { exchangesIn } from "../../src/lab/calibrate/har.js";
import { learn } from "../../src/lab/calibrate/learn.js";
import { planProbes, runProbes } from "../../src/lab/calibrate/probes.js";
import type { Calibration } from "../../src/lab/calibrate/report.js";
import { PROFILES } from "../../src/service/behaviour/table.js";
import { THREAD_STATUSES } from "../../src/service/world/records.js";
import { freePort } from "../support/free-port.js";
import { Dice, fewSettings, type Settings } from "./random-settings.js";
import type { RecordedEntry, Session } from "./session.js";
import { busyActions, recorded } from "./session.js";

export { manySettings } from "./random-settings.js";

const MINUTE_MS = 60_000;
/** Of several organizations, without a permission, unknown, and none. */
const KEYS = [
  ..."acme-token acme-token acme-token acme-no-delete globex-token who-knows-key".split(" "),
  null,
];

/** What else people, developers and an unreliable service do. */
function moreActions(s: Session, dice: Dice): readonly (() => Promise<unknown>)[] {
  const { one } = dice;
  const thread = () => one(["9001", "9002", "9003", "9005", ...s.threads]);
  const hook = () => `/api/webhooks/${one([...s.hooks, "crm", "mine"])}`;
  const message = () => ({ customerThreadId: thread(), text: "x".repeat(1 + dice.below(60)) });
  return [
    () => s.send(message()),
    () => s.send(message()),
    () => s.send({ text: "😀😀😀😀" }),
    () => s.say("Hello?", thread()),
    () => s.employee("Let me see", dice.chance(0.4), one(["9001", "9002", "9003"])).catch(() => {}),
    () => s.subscribe(`${s.hook}/second`, one([["messages"], ["messages", "transfers"], []])),
    () => s.graphql("save-hook-mutation", { hookId: "mine2", url: `${s.hook}/gq` }),
    () => s.post("/api/update-hook-url", { url: "http://old.example/x" }),
    () => s.post(`${hook()}/update`, one([{ enabled: true }, { subscribedEvents: ["transfers"] }, {}])),
    () => s.post(`${hook()}/delete`, undefined),
    () => s.post("/api/update-thread-status", { customerThreadId: thread(), status: "replied", foo: 1 }),
    () => s.post("/api/send-message-to-customer-thread", one(["[]", "null"])),
    () => s.people("/threads/9001/transfer", { businessId: "1001" }),
    () => s.pass(one([MINUTE_MS, 60 * MINUTE_MS, 6 * 60 * MINUTE_MS])),
    () => s.pass(dice.below(3_000)),
    () => {
      const failed = { status: one([408, 500]), body: { error: "oops" } };
      const then = one(["unavailable", "rate-limited", failed]);
      return s.control("POST", "/faults", { on: "request", times: 1 + dice.below(2), then });
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

/** A short random session, and the settings of its service. */
async function randomSession(seed: number): Promise<{ settings: Settings; entries: RecordedEntry[] }> {
  const dice = new Dice(seed * 7919 + 13);
  const settings = fewSettings(dice);
  const [latency, failing] = [dice.one([0, 0, 120, 250]), dice.chance(0.15)];
  const [isSingle, calls, share] = [dice.chance(0.4), 5 + dice.below(20), dice.one([0.4, 0.1, 0.05])];
  const entries = await recorded(
    settings,
    async (session) => {
      // Those that choose at random twice, because there are few of them.
      const more = () => moreActions(session, dice);
      const some = [...busyActions(session), ...more(), ...more()].filter(() => dice.chance(share));
      for (let left = calls; left > 0; left -= 1) {
        const start = dice.below(some.length);
        for (const act of some.slice(start, start + 1 + dice.below(3))) await act();
      }
    },
    {
      latency: () => dice.below(latency + 1),
      receiver: () => (failing && dice.chance(0.5) ? 500 : 200),
      key: () => (isSingle ? "acme-token" : dice.one(KEYS)),
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
function falsehoods(settings: Settings, { learned, intervals, contradictions }: Calibration): string[] {
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

const learnFrom = (entries: readonly unknown[]) =>
  learn(exchangesIn(entries, "session.har").sort((a, b) => a.at - b.at));

/** What is false of one short random session, and how many values were learned. */
export async function sessionOutcome(seed: number) {
  const { settings, entries } = await randomSession(seed);
  const calibration = await learnFrom(entries);
  const found = calibration.learned.filter(({ key }) => key in settings).length;
  return { settings, wrong: falsehoods(settings, calibration), found };
}

/** An entry is touched if the exchanges differ when it keeps its default. */
async function outcomeBy(
  play: (settings: Settings) => Promise<readonly RecordedEntry[]>,
  settings: Settings,
) {
  const entries = await play(settings);
  const calibration = await learnFrom(entries);
  const known = new Set<string>(calibration.learned.map(({ key }) => key));
  const missed: string[] = [];
  for (const key of Object.keys(settings).filter((name) => !known.has(name))) {
    const { [key]: _, ...others } = settings;
    if (shown(await play(others)) !== shown(entries)) missed.push(key);
  }
  const found = Object.keys(settings).filter((key) => known.has(key)).length;
  return { wrong: falsehoods(settings, calibration), touched: found + missed.length, found, missed };
}

/** Pseudonyms of people and texts, which differ each time. */
const PERSONAL =
  /((?:displayName|firstName|lastName|company|emailAddress|phoneNumber|text|messageBody|pictureHref|title)\\*":\\*")([^"\\]*)|[\w.+-]+@[\w.-]+/g;

/** What exchanges show. Calls and deliveries overlap, and limits in time refuse a different call each time. */
function shown(entries: readonly RecordedEntry[]): string {
  const exchanges = entries
    .filter(({ response }) => response.status !== 429)
    .map(({ _direction, request: { method, url, postData }, response: { status, content } }) =>
      JSON.stringify([_direction, method, url, postData?.text, status, content.text])
        .replace(
          PERSONAL,
          (_, before = "", text = "") => before + text.replace(/\p{L}/gu, "x").replace(/\d/g, "9"),
        )
        .replace(/127\.0\.0\.1:\d+/g, "host"),
    );
  return JSON.stringify([...new Set(exchanges)].sort());
}

/** By a recording of a long session. */
export const outcomeOf = (settings: Settings) =>
  outcomeBy(
    (others) =>
      recorded(others, async (session) => {
        for (const act of busyActions(session)) await act();
      }),
    settings,
  );

const ASKED = { token: "acme-token", thread: "9001", customer: "cust_001" };

/** By the probes of the package, with or without `--write`. */
export const probesOutcomeOf = (settings: Settings, write: boolean) =>
  outcomeBy(async (behaviour) => {
    const sim = await createSimulator({ port: 0, behaviour, clock: "2026-01-05T09:00:00Z" });
    const hookPort = await freePort();
    const asked = { ...ASKED, ...(write && { hook: `http://127.0.0.1:${hookPort}` }) };
    const service = { ...asked, url: sim.url, write };
    const { scenarios } = await readScenarios(["scenarios/probes"], asked);
    const options = { hookPort, signal: new AbortController().signal, onProbe: () => {}, paceMs: 0 };
    try {
      return (await runProbes(planProbes(scenarios, service), service, options)).entries;
    } finally {
      await sim.close();
    }
  }, settings);
