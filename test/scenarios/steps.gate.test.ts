import { describe, expect, it } from "vitest";
import { createAjv } from "../../src/kernel/schema-problems.js";
import { STEPS } from "../../src/scenarios/steps/index.js";
import { scenarioFormat } from "../../src/server/scenario-format.js";
import { last, runSteps } from "./support.js";

/** For steps that fail: what they show beside it has come by then. */
const BRIEF = { within: 100 };

interface Case {
  readonly passes: readonly object[];
  /** Steps of which the last fails, and its message. */
  readonly fails?: readonly object[];
  readonly message?: RegExp;
}

const delivered = (messageBody: string) => ({ delivered: { body: { data: { messageBody } } } });
const faults = { on: "request", then: "unavailable" };
const details = { request: "GET /api/get-customer-thread-details?customerThreadId=9001" };
const hasStatus = (status: string) => ({ state: { collection: "threads", id: "9001", values: { status } } });
const setOnline = (online: unknown) => ({
  set: { collection: "businesses", id: "1001", values: { online } },
});

const CASES: Readonly<Record<string, Case>> = {
  customer: {
    passes: [{ customer: "Hello" }, { customer: { thread: "9002", says: "Hi" } }],
    fails: [{ customer: { thread: "1", says: "Hi" } }],
    message: /^there is no thread "1"; threads: 9001, /,
  },
  employee: {
    passes: [
      { employee: { user: 501, says: "Hello" } },
      { employee: { user: "503", says: "Psst", internal: true } },
    ],
    fails: [{ employee: { user: "502", says: "Hello" } }],
    message: /^user "502" may not access thread "9001"$/,
  },
  reply: {
    passes: [{ log: "Only a program replies: see against-a-bot.gate.test.ts" }],
    fails: [{ reply: "Hello" }],
    message: /^No reply in thread 9001 within 100 ms/,
  },
  silent: { passes: [{ silent: "10ms" }, { silent: { for: 10, thread: "9002" } }] },
  delivered: {
    passes: [{ customer: "Hello" }, { delivered: "message" }],
    fails: [{ customer: "Hello" }, { delivered: { eventType: "transfer" } }],
    message: /^No successful delivery within 100 ms$/,
  },
  window: {
    passes: [{ window: "closed" }, { window: { open: true } }],
    fails: [{ window: { thread: "9003", open: false } }],
    message: /^a thread on SMS has no messaging window to close$/,
  },
  transfer: {
    passes: [{ transfer: "1002" }, { transfer: { to: "1001", by: "503" } }],
    fails: [{ transfer: "1001" }],
    message: /^the thread already belongs to business "1001"$/,
  },
  status: {
    passes: [{ status: "resolved" }, { expect: hasStatus("resolved") }],
    fails: [{ status: { thread: "1", status: "replied" } }],
    message: /1/,
  },
  emit: {
    passes: [
      { emit: { event: "transfer" } },
      { delivered: { eventType: "transfer", body: { data: { customerThreadId: "9001" } } } },
    ],
    fails: [{ emit: { event: "message", data: { customerThreadId: 1 } } }],
    message: /^there is no thread "1"; threads: 9001, /,
  },
  set: {
    passes: [setOnline(false)],
    fails: [setOnline("no")],
    message: /online/,
  },
  request: {
    passes: [
      { ...details, expect: 200 },
      {
        request: { method: "get", path: "/api/webhooks", token: "globex-token" },
        expect: { status: 200, body: [] },
      },
    ],
    fails: [{ ...details, token: null, expect: { status: 200 } }],
    message: /^GET .*=9001 did not respond as expected: it answered 401 \(Missing API token\)$/,
  },
  expect: {
    passes: [
      { customer: "Hello" },
      { expect: { delivery: { eventType: "message" } } },
      { expect: { idle: true } },
      { expect: { none: { request: {} }, for: 10 } },
      { expect: hasStatus("waiting") },
    ],
    fails: [{ ...details }, { expect: { request: { operation: "getCustomerThreadDetails" } } }],
    message: /^No expected call by your program within 100 ms/,
  },
  advance: {
    passes: [{ advance: "25h" }, { advance: { by: 5 } }],
    fails: [{ control: "PUT /clock", body: { now: "9999-01-01" } }, { advance: "365d" }],
    message: /beyond the year 9999/,
  },
  wait: { passes: [{ wait: 5 }, { wait: { for: "5ms" } }] },
  fault: {
    passes: [{ fault: faults }, { ...details, expect: 503 }],
    fails: [{ fault: { on: "request", match: { operation: "${thread}" }, then: "slow" } }],
    message: /unknown operation "9001"/,
  },
  clearFaults: { passes: [{ fault: faults }, { clearFaults: true }, { ...details, expect: 200 }] },
  behaviour: {
    passes: [
      { behaviour: { "threads.notFound": { status: 410, body: { gone: "${customerThreadId}" } } } },
      { request: "GET /api/get-customer-thread-details?customerThreadId=1", expect: 410 },
    ],
  },
  snapshot: { passes: [{ snapshot: "a" }, { snapshot: { name: "b" } }] },
  restore: {
    passes: [{ snapshot: "a" }, { status: "resolved" }, { restore: "a" }, { expect: hasStatus("waiting") }],
    fails: [{ restore: "b" }],
    message: /^there is no snapshot "b"; snapshots: /,
  },
  control: {
    passes: [
      { control: "POST /data/customers", body: { organizationId: "200", displayName: "Zoë" }, id: "made" },
      { control: { method: "DELETE", path: "/data/customers/${made.body.id}" } },
      { control: "PUT /clock", body: { now: 1000, frozen: true } },
    ],
    fails: [{ control: "DELETE /data/customers/cust_001" }],
    message: /cannot be deleted/,
  },
  reset: {
    passes: [
      { customer: "a" },
      delivered("a"),
      { reset: true },
      { expect: { none: { delivery: {} }, for: 10 } },
      { customer: "b" },
      delivered("b"),
    ],
  },
  log: { passes: [{ log: "Hello" }, { log: { text: "${thread}" } }] },
  repeat: {
    passes: [{ repeat: { times: 3, steps: [{ customer: "Hello ${round}" }, delivered("Hello ${round}")] } }],
    fails: [{ repeat: { times: 3, steps: [{ window: "closed" }, { transfer: "1002" }] } }],
    message: /^the thread already belongs to business "1002"$/,
  },
};

describe("every kind of step", () => {
  it("is tried here", () => {
    expect(Object.keys(CASES).sort()).toEqual(STEPS.map(({ key }) => key).sort());
  });

  it.each(Object.entries(CASES))("%s", async (_key, { passes, fails, message = /./ }) => {
    const good = await runSteps(passes);
    expect(good.steps.find(({ ok }) => !ok)).toBeUndefined();
    expect(good.ok).toBe(true);
    if (fails === undefined) return;
    const bad = await runSteps([...fails, { log: "never" }], BRIEF);
    expect(last(bad)).toMatchObject({ ok: false, message: expect.stringMatching(message) });
    expect(bad.steps.at(-1)).toMatchObject({ name: "log: never", skipped: true });
    expect(bad).toMatchObject({ ok: false, transcript: expect.any(String) });
  });
});

it("has a schema that takes every step in its written form", async () => {
  const schema = scenarioFormat().schema() as object;
  const validate = createAjv().compile(schema);
  for (const { passes } of Object.values(CASES)) {
    const steps = [...passes, { repeat: { times: "${param:n}", steps: passes } }];
    expect(validate({ $schema: "x", name: "a", thread: 9001, steps }) || validate.errors).toBe(true);
  }
  expect(validate({ steps: [{ custmer: "x" }] })).toBe(false);
  expect(validate({ steps: [{ repeat: { times: 1, steps: [{ advance: "x" }] } }] })).toBe(false);
});

describe("outcomes", () => {
  it("are read by later steps, which say so where there is nothing to read", async () => {
    const said = { customer: "Hello", id: "message" };
    const event = { delivered: { body: { data: { messageId: "${message.body.id}" } } } };
    expect(last(await runSteps([said, event], BRIEF)).nearMisses).toEqual([
      {
        id: "d1",
        summary: "message to crm (sink:demo), delivered",
        differences: [{ path: "body.data.messageId", expected: "555023", seen: 555023 }],
      },
    ]);
    const nothing = last(await runSteps([said, { log: "${message.body.nothing}" }]));
    expect(nothing).toMatchObject({ ok: false, message: "${message.body.nothing} has no value" });
  });

  it("of requests have a status, headers and a body, of which parts can be captured", async () => {
    const call = { request: "GET /api/webhooks", id: "all", name: "list" };
    const hook = { ...call, capture: { hook: "body[0].hookId" } };
    const log = { log: "${hook} ${all.status} ${all.body[0].url} ${all.headers.x-sim-request}" };
    expect(last(await runSteps([hook, log])).note).toBe("crm 200 sink:demo r1");
    const bad = await runSteps([{ ...call, capture: { hook: "body[1].hookId" } }]);
    expect(last(bad).message).toBe("capture hook: there is no body[1].hookId in the answer");
  });
});

it("does not find again what a step has used up, which does not stand in the way of other matches", async () => {
  const both = [{ customer: "a" }, { customer: "b" }, delivered("b")];
  expect(await runSteps([...both, { delivered: "message" }, { expect: { idle: true } }])).toMatchObject({
    ok: true,
  });
  const twice = await runSteps([...both, { delivered: "message" }, { delivered: "message", within: 100 }]);
  expect(last(twice)).toMatchObject({ ok: false, nearMisses: [] });
  const count = await runSteps([...both, { expect: { delivery: {}, count: 2 }, within: 100 }]);
  expect(last(count)).toMatchObject({ ok: false, message: expect.stringContaining("1 of 2 came") });
});

it("expects a closed connection", async () => {
  const hangUp = { fault: { on: "request", times: 1, then: "hang-up" } };
  expect((await runSteps([hangUp, { ...details, expect: { status: null } }])).ok).toBe(true);
  const report = await runSteps([hangUp, { ...details }]);
  expect(last(report).message).toContain("got no response: the connection was closed");
});
