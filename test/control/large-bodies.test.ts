/** The bounds of control calls' bodies, and what happens to the connection of a call that exceeds them. */
import { expect, it } from "vitest";
import { request, talk } from "../hostile/raw.js";
import { openSandbox, startSimulator } from "../support/simulator.js";

const keys = (count: number, value: unknown = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, value]));
const nested = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`);

const CALLS: [call: string, around: (value: unknown) => unknown][] = [
  ["PATCH /behaviour", (value) => value],
  ["POST /faults", (match) => ({ on: "request", match: { body: match }, then: "slow" })],
  ["POST /events", (data) => ({ eventType: "message", data })],
  ["POST /data/messages", (attachment) => ({ id: "1", attachment })],
  ["PUT /sinks/demo", (body) => ({ body })],
  ["POST /scenarios/run", (scenario) => ({ scenario })],
  ["POST /reset", (behaviour) => ({ behaviour })],
  ["POST /sandboxes", (behaviour) => ({ behaviour })],
];

it.each(CALLS)("%s refuses objects with too many keys or levels", async (call, around) => {
  const { control } = await openSandbox();
  const { body: before } = await control("GET /state");
  const wide = "must not have an object with more than 10000 keys";
  for (const [value, problem] of [
    [keys(10_001), wide],
    [{ a: { fixtures: keys(10_001) } }, wide],
    [nested(65), "must not be nested deeper than 64 levels"],
  ] as const) {
    const { status, body } = await control(call, around(value));
    expect([status, body.error.message]).toEqual([400, expect.stringContaining(problem)]);
  }
  expect((await control("GET /state")).body).toEqual(before);
});

it("the body of a control call may have up to 200 levels if it is a state", async () => {
  const { control } = await openSandbox();
  for (const [levels, problem] of [
    [197, "attachment"],
    [1_000_000, "must not be nested deeper than 200 levels"],
  ] as const) {
    const attachment = `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
    const { status, body } = await control("PUT /state", `{"messages":[{"attachment":${attachment}}]}`);
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(problem)]);
  }
});

it("the body of a control call has at most 1,000,000 values, even as a state", async () => {
  const { control } = await openSandbox();
  const { status, body } = await control("PUT /state", `{"threads":[${"[],".repeat(500_000)}[]]}`);
  expect([status, body.error.message]).toEqual([400, expect.stringContaining("more than 1000000 values")]);
});

it("the body of a control call has at most 1 MiB, except for fixtures and states", async () => {
  const { control } = await openSandbox();
  const text = "x".repeat(1024 * 1024);
  expect((await control("POST /threads/9001/inbound", { text })).status).toBe(413);
  const { body: state } = await control("GET /state");
  const messages = Array.from({ length: 3_000 }, (_, n) => ({
    ...{ id: String(600_000 + n), threadId: "9001", fromCustomer: true },
    ...{ text: "x".repeat(500), timestamp: 1 },
  }));
  const world = { ...state, messages };
  for (const [call, body] of [
    ["PUT /state", world],
    ["POST /reset", { fixtures: world }],
    ["POST /scenarios/run", { scenario: { fixtures: world, steps: [{ log: "x" }] } }],
  ] as const)
    expect([call, (await control(call, body)).status]).toEqual([call, 200]);
  const wide = await control("POST /sandboxes", { fixtures: world, behaviour: keys(10_001) });
  expect([wide.status, wide.body.error.message]).toEqual([400, expect.stringContaining("10000 keys")]);
});

it.each([
  ["is discarded, so that the client can read the answer", "POST /__sim/faults", 2, "x".repeat(2 ** 21)],
  ["is refused immediately if it announces far too much", "PUT /__sim/state", 240, "{"],
])("the body of a control call that is too large %s", async (_, line, mib, body) => {
  const { url } = await startSimulator();
  const { answers } = await talk(url, [request(line, { "content-length": String(mib * 2 ** 20) }), body]);
  expect(answers).toMatchObject([{ status: 413, head: expect.stringMatching(/^connection: close$/im) }]);
});
