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

const SEND = "POST /api/send-message-to-customer-thread";
const faults = { on: "request", then: "unavailable" };
const details = { request: "GET /api/get-customer-thread-details?customerThreadId=9001" };

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
    passes: [],
    fails: [{ reply: "Hello" }],
    message: /^a visible message in thread 9001 did not arrive within 100 ms$/,
  },
  silent: { passes: [{ silent: "10ms" }, { silent: { for: 10, thread: "9002" } }] },
  delivered: {
    passes: [{ customer: "Hello" }, { delivered: "message" }],
    fails: [{ customer: "Hello" }, { delivered: { eventType: "transfer" } }],
    message: /^a successful delivery did not arrive within 100 ms$/,
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
    passes: [
      { status: "resolved" },
      { expect: { state: { collection: "threads", id: "9001", values: { status: "resolved" } } } },
    ],
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
    passes: [{ set: { collection: "businesses", id: "1001", values: { online: false } } }],
    fails: [{ set: { collection: "businesses", id: "1001", values: { online: "no" } } }],
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
    message:
      /^GET \/api\/get-customer-thread-details\?customerThreadId=9001 did not respond as expected: it answered 401 \(Missing API token\)$/,
  },
  expect: {
    passes: [
      { customer: "Hello" },
      { expect: { delivery: { eventType: "message" } } },
      { expect: { idle: true } },
      { expect: { none: { request: {} }, for: 10 } },
      { expect: { state: { collection: "threads", id: "4", absent: true } } },
    ],
    fails: [{ ...details }, { expect: { request: { operation: "getCustomerThreadDetails" } } }],
    message: /^an expected call by the system under test did not arrive within 100 ms$/,
  },
  advance: {
    passes: [{ advance: "25h" }, { advance: { by: 5 } }],
    fails: [{ advance: "3000000d" }],
    message: /beyond the year 9999/,
  },
  wait: { passes: [{ wait: 5 }, { wait: { for: "5ms" } }] },
  fault: {
    passes: [{ fault: faults }, { ...details, expect: 503 }],
    fails: [{ fault: { on: "request", match: { operation: "${thread}" }, then: "slow" } }],
    message: /unknown operation "9001"/,
  },
  clearFaults: {
    passes: [{ fault: faults }, { clearFaults: true }, { ...details, expect: 200 }],
  },
  behaviour: {
    passes: [
      { behaviour: { "threads.notFound": { status: 410, body: { gone: "${customerThreadId}" } } } },
      { request: "GET /api/get-customer-thread-details?customerThreadId=1", expect: 410 },
    ],
  },
  snapshot: { passes: [{ snapshot: "a" }, { snapshot: { name: "b" } }] },
  restore: {
    passes: [
      { snapshot: "a" },
      { status: "resolved" },
      { restore: "a" },
      { expect: { state: { collection: "threads", id: "9001", values: { status: "waiting" } } } },
    ],
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
      { delivered: "message" },
      { reset: true },
      { expect: { none: { delivery: {} }, for: 10 } },
      { customer: "b" },
      { delivered: "message" },
    ],
  },
  log: { passes: [{ log: "Hello" }, { log: { text: "${thread}" } }] },
  repeat: {
    passes: [
      {
        repeat: {
          times: 3,
          steps: [
            { customer: "Hello ${round}" },
            { delivered: { body: { data: { messageBody: "Hello ${round}" } } } },
          ],
        },
      },
    ],
    fails: [{ repeat: { times: 3, steps: [{ window: "closed" }, { transfer: "1002" }] } }],
    message: /^the thread already belongs to business "1002"$/,
  },
};

describe("every kind of step", () => {
  it("is tried here", () => {
    expect(Object.keys(CASES)).toEqual(STEPS.map(({ key }) => key));
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
  it("are read by later steps, and say so where there is nothing to read", async () => {
    const steps = [
      { customer: "Hello", id: "message" },
      { delivered: { body: { data: { messageId: "${message.body.id}" } } } },
    ];
    const wrongType = await runSteps(steps, BRIEF);
    expect(last(wrongType).nearMisses).toEqual([
      {
        id: "d1",
        summary: "message event to crm (sink:demo): delivered",
        differences: [{ path: "body.data.messageId", expected: "555023", seen: 555023 }],
      },
    ]);
    const nothing = await runSteps([
      { customer: "Hello", id: "message" },
      { log: "${message.body.nothing}" },
    ]);
    expect(last(nothing)).toMatchObject({ ok: false, message: "${message.body.nothing} has no value" });
  });

  it("can be captured", async () => {
    const call = { request: "GET /api/webhooks", capture: { hook: "body[0].hookId" } };
    const good = await runSteps([call, { log: "${hook}" }]);
    expect(last(good).note).toBe("crm");
    const bad = await runSteps([{ ...call, capture: { hook: "body[1].hookId" } }]);
    expect(last(bad).message).toBe("capture hook: there is no body[1].hookId in the answer");
  });

  it("outcomes have status and body for every request", async () => {
    const report = await runSteps([
      { request: "GET /api/webhooks/crm", id: "hook", name: "get" },
      { log: "${hook.status} ${hook.body.url} ${hook.headers.x-sim-request}" },
    ]);
    expect(last(report).note).toBe("200 sink:demo r1");
  });
});

describe("what a step has used up", () => {
  it("is not found again", async () => {
    const steps = [{ customer: "a" }, { delivered: "message" }, { delivered: "message" }];
    const report = await runSteps(steps, BRIEF);
    expect(last(report)).toMatchObject({ ok: false, nearMisses: [] });
  });

  it("does not stand in the way of what another match finds", async () => {
    const one = { delivered: { body: { data: { messageBody: "b" } } } };
    const report = await runSteps([
      { customer: "a" },
      { customer: "b" },
      one,
      { delivered: "message" },
      { expect: { idle: true } },
    ]);
    expect(report.ok).toBe(true);
    const none = await runSteps(
      [{ customer: "a" }, { customer: "b" }, one, { expect: { delivery: {}, count: 2 } }],
      BRIEF,
    );
    expect(last(none)).toMatchObject({ ok: false, message: expect.stringContaining("1 of 2 came") });
  });
});

it("expects a closed connection", async () => {
  const hangUp = { fault: { on: "request", times: 1, then: "hang-up" } };
  expect((await runSteps([hangUp, { ...details, expect: { status: null } }])).ok).toBe(true);
  const report = await runSteps([hangUp, { ...details }]);
  expect(last(report).message).toContain("got no response: the connection was closed");
});

it("reports a failed delivery's chain from the call to the receiver's answer", async () => {
  const report = await runSteps(
    [
      { fault: { on: "delivery", then: "unavailable" } },
      { request: SEND, body: { customerThreadId: "9001", text: "Hi" }, expect: 200 },
      { delivered: "message" },
    ],
    BRIEF,
  );
  const { chain = [] } = last(report);
  expect(chain.map(({ kind }) => kind)).toEqual(["request", "delivery", "attempt"]);
  expect(chain[0]?.text).toBe("POST /api/send-message-to-customer-thread → 200 by the scenario");
  expect(chain[1]?.text).toContain("message event to crm (sink:demo): failed");
  expect(chain[2]?.text).toContain("attempt 1: 503");
});

it("tells copies of a delivery from its attempts in the chain", async () => {
  const report = await runSteps(
    [
      { fault: { on: "delivery", then: { copy: {}, answerLost: true } } },
      { customer: "Hi" },
      { delivered: "message" },
    ],
    BRIEF,
  );
  const attempts = (last(report).chain ?? []).filter(({ kind }) => kind === "attempt");
  expect(attempts.map(({ text }) => text.split(" ").slice(0, 3).join(" "))).toEqual([
    "changed copy: 200",
    "attempt 1: the",
  ]);
});
