import { connect } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Running, startSimulator } from "../support/simulator.js";

const many = <T>(count: number, item: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => item(index));

let sim: Running;
let before: NodeJS.CpuUsage;
beforeEach(async () => {
  sim = await startSimulator();
  before = process.cpuUsage();
});
// Work that is quadratic in these lengths takes half a minute on a fast machine.
afterEach(() => void expect(process.cpuUsage(before).user).toBeLessThan(15_000_000));

const play = (scenario: unknown) => sim.control("POST /scenarios/run", { scenario });

const MANY = 60_000;
it.each([
  ["that never end", "${".repeat(MANY)],
  ["that end once", `x${"${".repeat(MANY)}}`],
  ["of a name", "${a.b}".repeat(MANY)],
  ["in one another", "${".repeat(MANY) + "}".repeat(MANY)],
  ["of dots", `x\${${"a.".repeat(MANY)}}`],
])("texts with many placeholders take time in proportion to their length: %s", async (_, text) => {
  const body = { "auth.missing": { status: 401, body: { error: text } } };
  expect((await sim.control("PATCH /behaviour", body)).status).toBe(200);
  expect((await fetch(`${sim.url}/api/get-customer-thread-details?customerThreadId=9001`)).status).toBe(401);
  expect([200, 400]).toContain((await play({ steps: [{ log: text }] })).status);
});

it("unknown names of many placeholders are listed at most 100 times", async () => {
  const steps = [{ log: "${param:unknown}".repeat(20_000) }, { log: "x" }];
  const { status, body } = await play({ params: { known: 1 }, steps });
  expect([status, body.error.details.length]).toEqual([400, 101]);
  expect(body.error.details.at(-1).message).toBe("and more, which are not listed");
});

it("an answer has at most 100 problems", async () => {
  const { status, body } = await sim.control("POST /reset", {
    fixtures: { threads: many(5_000, () => 7) },
  });
  expect([status, body.error.details.length]).toEqual([400, 101]);
  expect(body.error.details.at(-1)).toEqual({ path: "", message: "and more, which are not listed" });
});

it("an answer has at most 100 differences per near miss", async () => {
  const wide = (value: number) => Object.fromEntries(many(500, (n) => [`f${n}`, value]));
  await sim.api("POST /api/update-thread-status", wide(1));
  const { body } = await sim.control("POST /verify", { requests: { body: wide(2) } });
  expect(body.nearMisses[0].differences).toHaveLength(100);
});

it("an answer suggests nothing for a name that is too long to be a typo", async () => {
  const long = "x".repeat(50_000);
  expect((await sim.control("PATCH /behaviour", { [long]: 1 })).status).toBe(400);
  await play({ params: { [`${long}y`]: 1 }, steps: [{ log: `\${param:${long}}` }] });
});

it("unterminated YAML is refused with its location", async () => {
  const { status, body } = await play(`steps: ${"[".repeat(200_000)}`);
  const message = expect.stringContaining("must have at most 20000 values and keys");
  expect([status, body.error.message]).toEqual([400, message]);
  expect(body.error.details).toEqual([expect.objectContaining({ line: expect.any(Number) })]);
});

it("a body that is too large and never ends gets an answer after five seconds, and the connection closes", async () => {
  const start = performance.now();
  const socket = connect(Number(new URL(sim.url).port), "127.0.0.1");
  socket.write("POST /__sim/faults HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2097152\r\n\r\n{");
  expect((await socket.toArray()).join("")).toMatch(/^HTTP\/1\.1 413 [\s\S]*Connection: close/i);
  expect(performance.now() - start).toBeGreaterThan(4_900);
});
