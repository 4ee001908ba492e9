/** Bundles may come from anybody: invalid ones are refused with places, and no bundle crashes the program. */
import { beforeAll, describe, expect, it } from "vitest";
import { SILENT } from "../../src/kernel/errors.js";
import { UnusableDocument } from "../../src/kernel/problems.js";
import { createSimulator } from "../../src/server/simulator.js";
import { BehaviourChecker } from "../../src/service/behaviour/check.js";
import { bundleProblems } from "../../src/storage/bundle.js";
import { filesFor } from "../support/folder.js";
import { startSimulator, withCalls } from "../support/simulator.js";
import { makeTraffic } from "./bundle.js";

const file = filesFor("hostile");
const checker = new BehaviourChecker();
const opened = (bundle: unknown, logger = SILENT) =>
  startSimulator({ bundle: file("case.json", JSON.stringify(bundle)), logger });

// biome-ignore lint/suspicious/noExplicitAny: the tests put anything anywhere
type Any = any;
let text = "";
beforeAll(async () => {
  const then = "slow";
  const faults = [{ on: "delivery", match: { eventType: "transfer" }, after: 9, then }] as const;
  const sim = await createSimulator({ faults, set: { "window.duration": "24h" }, clock: 1_800_000_000_000 });
  const calls = withCalls(sim);
  await makeTraffic(calls);
  await calls.control("POST /snapshots", { name: "after" });
  await calls.control("PUT /sinks/demo", { status: 201 });
  text = JSON.stringify((await calls.control("GET /bundle")).body);
  await sim.close();
});

describe("a problem has a place", () => {
  it.each<[string, (bundle: Any) => void]>([
    ["", (bundle) => delete bundle.simulator],
    ["", (bundle) => delete bundle.journal],
    ["threads[0].status", (bundle) => (bundle.threads[0].status = "closed")],
    ["threads[0].businessId", (bundle) => (bundle.threads[0].businessId = "77")],
    ["simulator.format", (bundle) => (bundle.simulator.format = 99)],
    ["simulator.sandbox", (bundle) => (bundle.simulator.sandbox = "../../etc")],
    ["simulator.start.clock", (bundle) => (bundle.simulator.start.clock = 1e300)],
    ["simulator.start.faults[0].then", (bundle) => (bundle.simulator.start.faults[0].then = "token-expired")],
    ["simulator.values.run.logs.requests", (bundle) => (bundle.simulator.values.run.logs.requests = 1e300)],
    ["simulator.values.sinks.demo.status", (bundle) => (bundle.simulator.values.sinks.demo.status = 42)],
    ["simulator.values.surprise", (bundle) => (bundle.simulator.values.surprise = {})],
    ["simulator.snapshots[1].name", (bundle) => (bundle.simulator.snapshots[1].name = "before")],
    ["simulator", (bundle) => (bundle.simulator.start.state.threads = { ids: ["1234"], records: [] })],
    ["journal.at", (bundle) => (bundle.journal.at = "yesterday")],
    ["journal.requests", (bundle) => (bundle.journal.requests = {})],
    ["journal.requests[0].headers", (bundle) => (bundle.journal.requests[0].headers = [])],
    ["journal.requests[0].id", (bundle) => (bundle.journal.requests[0].id = "r01")],
    ["journal.requests[0].id", (bundle) => (bundle.journal.requests[0].id = "r999")],
    ["journal.requests[5].id", (bundle) => bundle.journal.requests.push(bundle.journal.requests[0])],
    ["journal.scenarioRun.report.name", (bundle) => (bundle.journal.scenarioRun.report.name = 7)],
    ["journal.warnings[0]", (bundle) => (bundle.journal.warnings[0] = null)],
    ["journal.changes[0].id", (bundle) => (bundle.journal.changes[0].id = "r1")],
    ["journal.changes[0].to.status", (bundle) => (bundle.journal.changes[0].to.status = "gone")],
  ])("%s", async (path, spoil) => {
    const bundle = JSON.parse(text);
    spoil(bundle);
    const error = await opened(bundle).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UnusableDocument);
    const place = { path, file: expect.stringMatching(/case\.json$/), line: expect.any(Number) };
    expect((error as UnusableDocument).problems).toContainEqual(expect.objectContaining(place));
  });
});

/** The places of all values that only bundles have; of lists, the first item. */
function* placesOf(value: Any, path: string[] = []): Generator<string[]> {
  if (path.length > 0) yield path;
  if (typeof value !== "object" || value === null) return;
  const keys = Array.isArray(value) ? Object.keys(value).slice(0, 1) : Object.keys(value);
  for (const key of keys) yield* placesOf(value[key], [...path, key]);
}

it.each([null, 1e300, "x", {}, [{}]])(
  "a bundle with %j in every place that accepts it opens, and can be used",
  async (oddity) => {
    const bundle = JSON.parse(text);
    const { simulator, journal } = JSON.parse(text);
    let taken = 0;
    for (const place of placesOf({ simulator, journal })) {
      const key = place.at(-1)!;
      const holder = place.slice(0, -1).reduce((part, step) => part?.[step], bundle);
      // Records of states are tried above.
      if (place.includes("state")) continue;
      // An outer value was replaced already.
      if (typeof holder !== "object" || holder === null || !Object.hasOwn(holder, key)) continue;
      const before = holder[key];
      holder[key] = structuredClone(oddity);
      if (bundleProblems(bundle, checker).length > 0) holder[key] = before;
      else taken += 1;
    }
    expect(taken).toBeGreaterThan(0);
    const failed: unknown[] = [];
    const logger = { debug() {}, info() {}, warn() {}, error: (...words: unknown[]) => failed.push(words) };
    const { control } = await opened(bundle, logger);
    const statuses: number[] = [];
    const call = async (method: string, path: string, body?: unknown) => {
      const line = `${method} /sandboxes/${bundle.simulator.sandbox}/${path}`;
      statuses.push((await control(line, body)).status);
    };
    const logs = ["requests", "deliveries", "controls"];
    for (const path of [...logs, "state", "faults", "snapshots", "start", "scenarios/last", "bundle"])
      await call("GET", path);
    await call("POST", "threads/9001/inbound", { text: "More" });
    await call("POST", "snapshots/after/restore");
    await call("POST", "reset");
    expect([statuses.filter((status) => status >= 500), failed]).toEqual([[], []]);
  },
  60_000,
);
