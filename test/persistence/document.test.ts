/** A sandbox is a document: it is read back as it was, people can read it, and it goes on as if nothing had happened. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import fixture from "../../fixtures/default.json" with { type: "json" };
import { fromDocument, toDocument } from "../../src/sandbox/document.js";
import { BehaviourChecker } from "../../src/service/behaviour/check.js";
import { FixtureLoader } from "../../src/service/world/load.js";
import { COLLECTIONS } from "../../src/service/world/records.js";
import { bytesOf } from "../../src/storage/stored-document.js";
import { type Running, startSimulator } from "../support/simulator.js";
import { settled } from "../wire/client.js";
import { newFolder } from "./support.js";

const CLOCK = "2026-01-01T09:00:00Z";

type Call = readonly [line: string, body?: unknown];
const text = fc.constantFrom("Hello", "Ünïcode \u{1F600}", '"quoted"\n', "");
const name = fc.constantFrom("a", "b");
/** Calls to the control API, and with a leading slash in the body's place to the simulated one. */
const CALLS: fc.Arbitrary<Call>[] = [
  text.map((said) => ["POST /threads/9001/inbound", { text: said }]),
  text.map((said) => ["POST /api/send-message-to-customer-thread", { customerThreadId: "9001", text: said }]),
  fc
    .constantFrom("waiting", "resolved")
    .map((status) => ["POST /api/update-thread-status", { customerThreadId: "9003", status }]),
  fc.boolean().map((open) => ["POST /threads/9002/window", { open }]),
  fc.constantFrom("1m", "90m", "25h").map((by) => ["POST /clock/advance", { by }]),
  fc.constant(["PUT /clock", { now: "2026-03-01T00:00:00Z" }]),
  name.map((snapshot) => ["POST /snapshots", { name: snapshot }]),
  name.map((snapshot) => [`POST /snapshots/${snapshot}/restore`]),
  name.map((snapshot) => [`DELETE /snapshots/${snapshot}`]),
  fc
    .constantFrom({}, { seed: 5 }, { fixtures: { organizations: [] } }, { ids: "apart" })
    .map((over) => ["POST /reset", over]),
  fc
    .constantFrom<object>(
      { on: "request", probability: 0.5, then: "unavailable" },
      { on: "delivery", then: "hang-up", times: 2 },
    )
    .map((fault) => ["POST /faults", fault]),
  fc.constant(["DELETE /faults/f1"]),
  fc
    .constantFrom<object>(
      { "delivery.attempts": 4, "delivery.backoff": ["1h"] },
      { "delivery.autoDisable": 2 },
      { "limits.rate": { requests: 2, per: "1h" } },
      { "limits.rate": null, "window.duration": "2h" },
    )
    .map((values) => ["PATCH /behaviour", values]),
  fc.constantFrom(200, 500).map((status) => ["PUT /sinks/demo", { status, delayMs: 0, body: { status } }]),
  fc.constant(["PATCH /data/webhooks/1", { extraHeaders: [{ name: "x-key", value: "secret" }] }]),
  fc.constant(["DELETE /data/webhooks/1"]),
  fc.constant(["DELETE /data/messages/555001"]),
  fc.constant(["PUT /state", { ...fixture, messages: [] }]),
];
const calls = fc.array(fc.oneof(...CALLS), { maxLength: 12 });

/** Makes a call, and returns what its client sees. */
async function made({ api, control }: Running, id: string, [line, body]: Call): Promise<unknown> {
  const [method, path = ""] = line.split(" ");
  const answer = path.startsWith("/api/")
    ? await api(line, body, { token: `${id}.acme-token` })
    : await control(`${method} /sandboxes/${id}${path}`, body);
  return [line, answer.status, answer.body];
}

/** What real time and another server's port decide. */
const withoutTimes = (key: string, value: unknown) =>
  ["durationMs", "checksum"].includes(key) ? undefined : value;

it("a random session goes on after its document was written and read, and gives the same bytes", async () => {
  const [one, other] = await Promise.all([
    startSimulator({ clock: CLOCK }),
    startSimulator({ clock: CLOCK }),
  ]);
  const state = [...other.registry.all()][0]!.start;
  const context = {
    loader: new FixtureLoader().ofStored,
    checker: new BehaviourChecker(),
    defaults: () => ({ ...state, journalLimit: 100 }),
  };
  let count = 0;
  const session = async (before: Call[], after: Call[], own: boolean) => {
    count += 1;
    const id = `s${count}`;
    const start = own ? { fixtures: { ...fixture, webhooks: fixture.webhooks.slice(0, 1) }, seed: 7 } : {};
    await one.control("POST /sandboxes", { id, ids: "apart", ...start });
    for (const call of before) await made(one, id, call);
    await settled(one, `/sandboxes/${id}`);
    const sandbox = one.registry.get(id)!;
    const written = bytesOf(toDocument(sandbox)).toString();
    const read = other.registry.create(...fromDocument(JSON.parse(written), id, context));
    expect(bytesOf(toDocument(read)).toString()).toBe(written);
    for (const call of after) {
      const seen = [];
      for (const sim of [one, other]) {
        seen.push(await made(sim, id, call));
        await settled(sim, `/sandboxes/${id}`);
      }
      expect(seen[1]).toEqual(seen[0]);
    }
    const [left, right] = [sandbox, read].map((each) =>
      JSON.parse(bytesOf(toDocument(each)).toString(), withoutTimes),
    );
    expect(right).toEqual(left);
  };
  await fc.assert(fc.asyncProperty(calls, calls, fc.boolean(), session), {
    numRuns: 25,
    interruptAfterTimeLimit: 30_000,
  });
}, 60_000);

it("is a fixture with one more section, in lines that people can read", async () => {
  const data = newFolder();
  const sim = await startSimulator({ data, clock: CLOCK });
  await sim.control("POST /threads/9001/inbound", { text: "Read me" });
  expect((await sim.control("POST /checkpoint")).body).toEqual({ sandboxes: 1 });
  const written = readFileSync(join(data, "default.json"), "utf8");
  const { body: state } = await sim.control("GET /state");
  await sim.close();
  const { simulator, ...collections } = JSON.parse(written);
  expect(Object.keys(collections)).toEqual(COLLECTIONS);
  expect(collections).toEqual(state);
  expect(written.split("\n").filter((line) => line.includes("Read me"))).toEqual([
    expect.stringMatching(/^\{"id":"555023",.*\},?$/),
  ]);
  expect(simulator).toMatchObject({
    format: 1,
    sandbox: "default",
    clock: { frozenAt: Date.parse(CLOCK) },
    start: {},
    checksum: expect.stringMatching(/^[0-9a-f]{8}$/),
  });
});

it("a sandbox with a start of its own goes back to that, and any other to the server's as it is now", async () => {
  const data = newFolder();
  const first = await startSimulator({ data, seed: 1, set: { "delivery.attempts": 2 } });
  await first.control("PUT /sandboxes/own", {
    fixtures: { organizations: [{ id: "1", name: "Own" }] },
    seed: 9,
  });
  await first.control("POST /sandboxes/own/snapshots", { name: "kept" });
  await first.close();
  const second = await startSimulator({ data, seed: 3, set: { "delivery.attempts": 5 } });
  const attempts = (id: string) => second.registry.get(id)!.run.behaviour.values["delivery.attempts"];
  expect([attempts("default"), attempts("own")]).toEqual([2, 2]);
  expect(second.registry.default.run.start.seed).toBe(1);
  for (const id of ["default", "own"]) await second.control(`POST /sandboxes/${id}/reset`);
  expect([attempts("default"), attempts("own")]).toEqual([5, 5]);
  expect([second.registry.default.run.start.seed, second.registry.get("own")!.run.start.seed]).toEqual([
    3, 9,
  ]);
  const { body } = await second.control("GET /sandboxes/own/state");
  expect(body.organizations).toEqual([{ id: "1", name: "Own" }]);
  expect((await second.control("GET /sandboxes/own/snapshots")).body).toMatchObject([{ name: "kept" }]);
});
