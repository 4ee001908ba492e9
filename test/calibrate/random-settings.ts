/** Random settings of the entries that a client and a receiver can see, and what a calibration makes of them. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readScenarios } from "../../src/cli/scenario-files.js";
import { createSimulator } from "../../src/index.js";
import { Random } from "../../src/kernel/random.js";
import { exchangesIn, readTrace } from "../../src/lab/calibrate/har.js";
import { learn } from "../../src/lab/calibrate/learn.js";
import { planProbes, runProbes } from "../../src/lab/calibrate/probes.js";
import type { HarEntry } from "../../src/lab/proxy/har.js";
import { alternativesOf } from "../../src/service/behaviour/alternatives.js";
import type { Answer, Entry } from "../../src/service/behaviour/entry.js";
import { answerSchema } from "../../src/service/behaviour/entry.js";
import { BEHAVIOUR_KEYS, BEHAVIOUR_TABLE } from "../../src/service/behaviour/table.js";
import { freePort } from "../support/free-port.js";
import type { RecordedEntry } from "./session.js";
import { busySession, harOf, recorded } from "./session.js";

export { sessionOutcome } from "./random-sessions.js";

/** Only receivers that fail, browsers, or the simulator's own bounds show these. */
const UNSEEN = /^(?:cors|delivery|webhooks\.pending|widget\.knownLocale|limits\.overload|http\.unknownHost)/;

const OTHERS: Readonly<Record<string, readonly unknown[]>> = {
  "window.duration": ["12h", "24h", "48h"],
  "window.channels": [["WHATSAPP", "SMS"], []],
  "templates.channels": [["WHATSAPP", "SMS"]],
  "webhooks.graphqlEvents": [["messages", "transfers"]],
  "limits.textLength": [12, 19, 26],
  "customers.unknownType": ["lead"],
  "threadStatus.transitions": [
    { waiting: ["replied", "resolved"], replied: ["waiting", "resolved"], resolved: ["replied"] },
  ],
};

type Settings = Readonly<Record<string, unknown>>;

export function randomSettings(seed: number): Settings {
  const random = new Random(seed);
  const one = <T>(list: readonly T[]): T => list[random.next() % list.length] as T;
  const settings: Record<string, unknown> = {};
  for (const key of BEHAVIOUR_KEYS) {
    if (UNSEEN.test(key) || random.next() % 5 > 0) continue;
    const entry = BEHAVIOUR_TABLE[key] as Entry;
    const listed = alternativesOf(entry);
    if (entry.schema === answerSchema) {
      const isRefusal = (entry.default as Answer).status >= 400;
      settings[key] = {
        status: one(isRefusal ? [400, 404, 409, 422] : [200, 201, 202]),
        body: { says: `this is ${key}` },
      };
    } else if (typeof listed !== "string") settings[key] = one(listed);
    else if (OTHERS[key] !== undefined) settings[key] = one(OTHERS[key]);
  }
  return settings;
}

/** What a recording of a session shows, without the ports of its session. */
const shown = (entries: readonly RecordedEntry[]): string =>
  JSON.stringify(entries, (name, value) => (name === "headers" ? undefined : value)).replace(
    /127\.0\.0\.1:\d+/g,
    "host",
  );

interface Outcome {
  readonly wrong: readonly string[];
  readonly touched: number;
  readonly found: number;
  readonly missed: readonly string[];
}

/** Records a session with settings that are secret, calibrates, and compares what was learned with them. */
export async function outcomeOf(settings: Settings): Promise<Outcome> {
  const entries = await recorded(settings, busySession);
  const folder = await mkdtemp(join(tmpdir(), "settings-"));
  try {
    const file = join(folder, "session.har");
    await writeFile(file, JSON.stringify(harOf(entries)));
    const { learned } = await learn(await readTrace([file]));
    return await judged(settings, learned, async (others) => {
      return shown(await recorded(others, busySession)) !== shown(entries);
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** `differs`: whether other settings give other exchanges. An entry is touched if its value makes a difference. */
async function judged(
  settings: Settings,
  learned: Awaited<ReturnType<typeof learn>>["learned"],
  differs: (settings: Settings) => Promise<boolean>,
): Promise<Outcome> {
  const wrong = learned
    .filter(
      ({ key, value, default: preset }) =>
        JSON.stringify(key in settings ? settings[key] : preset) !== JSON.stringify(value),
    )
    .map(({ key, value }) => `${key}: ${JSON.stringify(value)}`);
  const known = new Set<string>(learned.map(({ key }) => key));
  const missed: string[] = [];
  for (const key of Object.keys(settings).filter((name) => !known.has(name))) {
    const { [key]: _, ...others } = settings;
    if (await differs(others)) missed.push(key);
  }
  const found = Object.keys(settings).filter((key) => known.has(key)).length;
  return { wrong, touched: found + missed.length, found, missed };
}

/** The same by the probes of the package, with or without `--write`. */
export async function probesOutcomeOf(settings: Settings, write: boolean): Promise<Outcome> {
  const { learned } = await learn(exchangesIn(await probed(settings, write), "probes"));
  const seen = await seenByProbes(settings, write);
  return judged(settings, learned, async (others) => (await seenByProbes(others, write)) !== seen);
}

const ASKED = { token: "acme-token", thread: "9001", customer: "cust_001" };

async function probed(settings: Settings, write: boolean): Promise<readonly HarEntry[]> {
  const sim = await createSimulator({ port: 0, behaviour: settings, clock: "2026-01-05T09:00:00Z" });
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
}

/** Pseudonyms of people and texts, which differ each time. */
const PERSONAL =
  /((?:displayName|firstName|lastName|company|emailAddress|phoneNumber|text|messageBody|pictureHref|title)\\*":\\*")([^"\\]*)|[\w.+-]+@[\w.-]+/g;

/** What the service shows the probes. Calls and deliveries overlap, and limits in time refuse a different call each time. */
async function seenByProbes(settings: Settings, write: boolean): Promise<string> {
  const exchanges = (await probed(settings, write))
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
