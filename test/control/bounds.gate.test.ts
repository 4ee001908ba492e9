import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { openSandbox, startSimulator } from "../support/simulator.js";

const many = <T>(count: number, item: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => item(index));

/** Measures a call. Work that is quadratic in these lengths takes half a minute on a fast machine. */
async function timed<T>(call: () => Promise<T>): Promise<{ readonly ms: number; readonly answer: T }> {
  const start = performance.now();
  const answer = await call();
  return { ms: performance.now() - start, answer };
}

describe("texts with many placeholders", () => {
  const MANY = 60_000;
  it.each([
    ["that never end", "${".repeat(MANY)],
    ["that end once", `x${"${".repeat(MANY)}}`],
    ["of a name", "${a.b}".repeat(MANY)],
    ["in one another", "${".repeat(MANY) + "}".repeat(MANY)],
    ["of dots", `x\${${"a.".repeat(MANY)}}`],
  ])("take time in proportion to their length: %s", async (_, text) => {
    const sim = await startSimulator();
    const body = { "auth.missing": { status: 401, body: { error: text } } };
    expect((await sim.control("PATCH /behaviour", body)).status).toBe(200);
    const { ms, answer } = await timed(() => fetch(`${sim.url}/api/get-users`));
    expect(answer.status).toBe(404);
    const missing = await timed(() =>
      fetch(`${sim.url}/api/get-customer-thread-details?customerThreadId=9001`),
    );
    expect(missing.answer.status).toBe(401);
    const scenario = { steps: [{ log: text }] };
    const run = await timed(() => sim.control("POST /scenarios/run", { scenario }));
    expect([200, 400]).toContain(run.answer.status);
    expect(ms + missing.ms + run.ms).toBeLessThan(15_000);
  });

  it("with unknown names are listed at most 100 times", async () => {
    const sim = await openSandbox();
    const scenario = {
      params: { known: 1 },
      steps: [{ log: "${param:unknown}".repeat(20_000) }, { log: "x" }],
    };
    const { ms, answer } = await timed(() => sim.control("POST /scenarios/run", { scenario }));
    expect(answer.status).toBe(400);
    expect(answer.body.error.details).toHaveLength(101);
    expect(answer.body.error.details.at(-1).message).toBe("and 19900 more");
    expect(ms).toBeLessThan(15_000);
  });
});

describe("the lists in an answer", () => {
  it("have at most 100 problems and the number of the others", async () => {
    const sim = await openSandbox();
    const fixtures = { threads: many(5_000, () => 7) };
    const { status, body } = await sim.control("POST /reset", { fixtures });
    expect(status).toBe(400);
    expect(body.error.details).toHaveLength(101);
    expect(body.error.details.at(-1)).toEqual({ path: "", message: "and more, which are not listed" });
  });

  it("have at most 100 differences per near miss", async () => {
    const sim = await openSandbox();
    const wide = (value: number) => Object.fromEntries(many(1_000, (n) => [`f${n}`, value]));
    await sim.api("POST /api/update-thread-status", wide(1));
    const { body } = await sim.control("POST /verify", { requests: { body: wide(2) } });
    expect(body.nearMisses[0].differences).toHaveLength(100);
  });

  it("suggest nothing for a name that is too long to be a typo", async () => {
    const sim = await openSandbox();
    const long = "x".repeat(50_000);
    const { ms, answer } = await timed(() => sim.control("PATCH /behaviour", { [long]: 1 }));
    expect(answer.status).toBe(400);
    const scenario = { steps: [{ log: { text: "a", id: "b" } }, { [long]: 1 }], params: { [`${long}y`]: 1 } };
    await sim.control("POST /scenarios/run", {
      scenario: { ...scenario, steps: [{ log: `\${param:${long}}` }] },
    });
    expect(ms).toBeLessThan(15_000);
  });
});

it("unterminated YAML is refused with its location", async () => {
  const { control } = await openSandbox();
  const scenario = `steps: ${"[".repeat(200_000)}`;
  const { status, body } = await control("POST /scenarios/run", { scenario });
  expect([status, body.error.message]).toEqual([
    400,
    expect.stringContaining("must have at most 20000 values and keys"),
  ]);
  expect(body.error.details).toEqual([expect.objectContaining({ line: expect.any(Number) })]);
});

it("a body that is too large and never ends gets an answer after five seconds, and the connection closes", async () => {
  const { url } = await startSimulator();
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  const { ms, answer } = await timed(() => {
    socket.write("POST /__sim/faults HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2097152\r\n\r\n{");
    return socket.toArray();
  });
  expect(answer.join("")).toMatch(/^HTTP\/1\.1 413 [\s\S]*Connection: close/i);
  expect(ms).toBeGreaterThan(4_900);
  expect(ms).toBeLessThan(15_000);
});
