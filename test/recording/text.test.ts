/** What recordings look like. */
import { describe, expect, it } from "vitest";
import { parseDocument } from "../../src/kernel/document.js";
import type { Running } from "../support/simulator.js";
import { startSimulator } from "../support/simulator.js";
import { outsideReceiver, recordOf, replay, stepsOf } from "./recorder.js";

const SEND = "POST /api/send-message-to-customer-thread";
const NOON = "2026-01-01T12:00:00Z";

interface Session {
  readonly control: (call: string, body?: unknown) => Promise<unknown>;
  readonly api: (call: string, body?: unknown) => ReturnType<Running["api"]>;
}

/** Records a session in the sandbox `talk`, and replays it. */
async function recorded(
  play: (session: Session) => Promise<unknown>,
  start: object = { clock: NOON },
): Promise<string> {
  const sim = await startSimulator({ set: {} });
  expect(await sim.control("POST /sandboxes", { id: "talk", ...start })).toMatchObject({ status: 201 });
  const settled = () => sim.control("POST /sandboxes/talk/wait", { for: "idle" });
  await play({
    control: async (call, body) => {
      await sim.control(call.replace(" ", " /sandboxes/talk"), body);
      await settled();
    },
    api: async (call, body) => {
      const answer = await sim.api(call, body, { token: "talk.acme-token" });
      await settled();
      return answer;
    },
  });
  const text = await recordOf(sim, "talk");
  const { report } = await replay(sim, text, async () => {});
  expect(report.steps.filter(({ ok }) => !ok)).toEqual([]);
  return text;
}

it("reads as a conversation", async () => {
  const text = await recorded(
    async ({ control, api }) => {
      await control("POST /threads/9001/inbound", { text: "Is my order ready?" });
      await api(SEND, { customerThreadId: "9001", text: "Yes!" });
      await control("POST /clock/advance", { by: 25 * 3_600_000 });
      await api("GET /api/get-customer-thread-details?customerThreadId=9001");
      await api(SEND, { customerThreadId: "9001", text: "Still there?" });
      await control("POST /threads/9001/window", { open: true });
      const note = { userId: "501", text: "I take over", internal: true };
      await control("POST /threads/9001/employee-message", note);
      await control("POST /threads/9001/transfer", { businessId: "1002" });
      await control("PATCH /data/threads/9001", { status: "resolved" });
      await control("POST /threads/9002/inbound", { text: "Me too" });
    },
    { clock: NOON, seed: 7, behaviour: { "window.duration": "24h" } },
  );
  expect(text).toBe(`\
# yaml-language-server: $schema=node_modules/messaging-sim/schemas/scenario.json

name: Recorded from the sandbox talk
behaviour: { window.duration: 24h }
clock: 2026-01-01T12:00:00.000Z
seed: 7
token: acme-token
thread: "9001"
steps:
  - customer: Is my order ready?
  - delivered: { eventType: message, body: { data: { messageBody: Is my order ready? } } }
  - request: POST /api/send-message-to-customer-thread
    body: { customerThreadId: "\${thread}", text: Yes! }
    expect: 200
  - delivered: { eventType: message, body: { data: { messageBody: Yes! } } }
  - advance: 25h
  - request: GET /api/get-customer-thread-details?customerThreadId=\${thread}
    expect: { status: 200, body: { customerChannel: WHATSAPP, status: waiting, isMessagingWindowOpen: false } }
  - request: POST /api/send-message-to-customer-thread
    body: { customerThreadId: "\${thread}", text: Still there? }
    expect: { status: 400, body: { error: "The messaging window is closed: send a template" } }
  - window: open
  - employee: { user: "501", says: I take over, internal: true }
  - delivered: { eventType: message, body: { data: { messageBody: I take over } } }
  - transfer: "1002"
  - delivered: { eventType: transfer, body: { data: { newBusinessId: 1002 } } }
  - status: resolved
  - customer: { thread: "9002", says: Me too }
  - delivered: { eventType: message, body: { data: { messageBody: Me too } } }
`);
  expect((await parseDocument(text, { file: "r.yaml" })).problems).toBeUndefined();
});

describe("a recording", () => {
  it("reads ids that a step has made from that step's outcome", async () => {
    const text = await recorded(async ({ api, control }) => {
      const begun = { businessId: "1001", message: "Hi", user: { email: "new@customer.example" } };
      const { body } = await api("POST /api/widget/send-message-to-business", begun);
      const thread = body.customerThreadId as string;
      await api(SEND, { customerThreadId: Number(thread), text: `This is ${thread}` });
      await control(`POST /threads/${thread}/inbound`, { text: "Good" });
      const made = await api("POST /api/webhooks/", { url: "sink:new", subscribedEvents: ["transfers"] });
      await api(`POST /api/webhooks/${made.body.hookId}/update`, { enabled: false });
      await control("POST /deliveries/d1/replay");
    });
    expect(stepsOf(text)).toBe(`\
  - id: conversation
    request: POST /api/widget/send-message-to-business
    body: { businessId: "1001", message: Hi, user: { email: new@customer.example } }
    expect: { status: 200, body: { result: ok } }
  - id: message
    delivered: { eventType: message, body: { data: { messageBody: Hi } } }
  - request: POST /api/send-message-to-customer-thread
    body:
      customerThreadId: \${message.body.data.customerThreadId}
      text: This is \${conversation.body.customerThreadId}
    expect: 200
  - delivered:
      eventType: message
      body: { data: { messageBody: "This is \${conversation.body.customerThreadId}" } }
  - customer: { thread: "\${conversation.body.customerThreadId}", says: Good }
  - delivered: { eventType: message, body: { data: { messageBody: Good } } }
  - id: webhook
    request: POST /api/webhooks/
    body: { url: sink:new, subscribedEvents: [ transfers ] }
    expect:
      status: 200
      body: { url: sink:new, enabled: true, subscribedEvents: [ transfers ], extraHeaders: [] }
  - request: POST /api/webhooks/\${webhook.body.hookId}/update
    body: { enabled: false }
    expect:
      status: 200
      body:
        hookId: \${webhook.body.hookId}
        url: sink:new
        enabled: false
        subscribedEvents: [ transfers ]
        extraHeaders: []
  - control: POST /deliveries/\${message.id}/replay
  - delivered: { eventType: message, body: { data: { messageBody: Hi } } }
`);
  });

  it("has no secrets in it", async () => {
    const text = await recorded(async ({ api, control }) => {
      const extraHeaders = [{ name: "Authorization", value: "Bearer s3cret" }];
      const url = "https://me:s3cret@bot.example/hook?key=s3cret";
      await api("POST /api/webhooks/crm/update", { extraHeaders });
      await api("GET /api/webhooks/");
      await api("POST /api/webhooks/", { url, subscribedEvents: ["messages"] });
      await control("PATCH /data/webhooks/1", { extraHeaders });
      const signature = { scheme: "standard-webhooks", secrets: ["whsec_czNjcmV0"] };
      await control("PATCH /behaviour", { "delivery.signature": signature });
    });
    expect(text).not.toMatch(/s3cret|czNjcmV0|talk\./);
    expect(text).toContain('    body: { extraHeaders: [ { name: Authorization, value: "***" } ] }\n');
    expect(text).toContain("url: https://bot.example/hook?key=***");
    expect(text).toContain('      values: { extraHeaders: [ { name: Authorization, value: "***" } ] }\n');
    expect(text).toContain(
      '  - behaviour: { delivery.signature: { scheme: standard-webhooks, secrets: [ "***" ] } }\n',
    );
  });

  it("names tokens of the fixture, and masks all others", async () => {
    const sim = await startSimulator({ set: {}, clock: NOON });
    await sim.api("GET /api/webhooks/", undefined, { token: "someone-elses-s3cret" });
    await sim.api("GET /api/webhooks/", undefined, { token: null });
    await sim.api("GET /api/webhooks/", undefined, { token: "globex-token" });
    await sim.api("GET /api/customers/cust_001/profile");
    await sim.api("POST /api/customers/cust_001/profile/update", {});
    const text = await recordOf(sim, "default");
    expect(text).not.toContain("s3cret");
    expect(text).toContain("\ntoken: acme-token\n");
    expect(stepsOf(text)).toMatch(
      /^ {2}# Guessed: [^\n]+\n {2}- request: GET \/api\/webhooks\/\n {4}token: "\*\*\*"\n[\s\S]*\n {4}token: null\n[\s\S]*\n {4}token: globex-token\n/,
    );
    const { report } = await replay(sim, text, async () => {});
    expect(report.steps.filter(({ ok }) => !ok)).toEqual([]);
  });

  it("keeps the order of calls and control calls, and says what became of deliveries when it did", async () => {
    const text = await recorded(async ({ api, control }) => {
      await control("PATCH /behaviour", { "delivery.attempts": 2, "delivery.backoff": ["1m"] });
      await control("POST /faults", { on: "delivery", times: 1, then: "unavailable" });
      await control("POST /threads/9001/inbound", { text: "one" });
      await api("GET /api/customers/nobody/profile");
      await control("POST /clock/advance", { by: "90s" });
      await control("DELETE /faults");
      await control("POST /snapshots", { name: "now", logs: true });
      await control("POST /threads/9001/inbound", { text: "one" });
      await control("POST /snapshots/now/restore");
      const data = { customerThreadId: 9001, messageBody: "given" };
      await control("POST /events", { eventType: "message", data });
      await control("POST /faults", { on: "delivery", then: "hang-up" });
      await control("POST /threads/9001/inbound", { text: "lost" });
    });
    expect(stepsOf(text)).toBe(`\
  - behaviour: { delivery.attempts: 2, delivery.backoff: [ 1m ] }
  - fault: { on: delivery, times: 1, then: unavailable }
  - customer: one
  - request: GET /api/customers/nobody/profile
    expect: { status: 404, body: { error: Customer not found } }
  - advance: 90s
  - delivered: { eventType: message, body: { data: { messageBody: one } } }
  - clearFaults: true
  - snapshot: now
  - customer: one
  - delivered: { eventType: message, body: { data: { messageBody: one } } }
  - restore: now
  - emit: { event: message, data: { customerThreadId: 9001, messageBody: given } }
  - delivered: { eventType: message, body: { data: { messageBody: given } } }
  - fault: { on: delivery, then: hang-up }
  - customer: lost
  - expect: { delivery: { status: dropped, eventType: message, body: { data: { messageBody: lost } } } }
`);
  });

  it("has deliveries tried before their receiver answers otherwise", async () => {
    const text = await recorded(async ({ api, control }) => {
      await control("PATCH /behaviour", { "delivery.attempts": 2, "delivery.backoff": ["1m"] });
      await control("PUT /sinks/demo", { status: 500 });
      await control("POST /threads/9001/inbound", { text: "one" });
      await control("POST /wait", { for: "idle" });
      await api("GET /api/customers/cust_001/profile");
      await control("PUT /sinks/demo", { status: 200 });
    });
    expect(stepsOf(text).match(/^ {2}- .*$/gm)).toEqual([
      "  - behaviour: { delivery.attempts: 2, delivery.backoff: [ 1m ] }",
      "  - control: PUT /sinks/demo",
      "  - customer: one",
      "  - request: GET /api/customers/cust_001/profile",
      "  - expect: { idle: true }",
      "  - control: PUT /sinks/demo",
      "  - expect: { delivery: { status: pending, eventType: message, body: { data: { messageBody: one } } } }",
    ]);
  });

  it("plays back what receivers outside the simulator answered", async () => {
    const { url, calls } = await outsideReceiver((call) => (call === 2 ? 500 : 204));
    const text = await recorded(async ({ control }) => {
      await control("PATCH /data/webhooks/1", { url });
      for (const said of ["one", "two", "three"]) await control("POST /threads/9001/inbound", { text: said });
    });
    expect(calls()).toBe(3);
    expect(stepsOf(text)).toBe(`\
  - set: { collection: webhooks, id: "1", values: { url: ${url.replace("s3cret", "***")} } }
  - fault: { on: delivery, match: { webhookId: "1" }, times: 1, then: { status: 204 } }
  - fault: { on: delivery, match: { webhookId: "1" }, times: 1, then: { status: 500 } }
  - fault: { on: delivery, match: { webhookId: "1" }, times: 1, then: { status: 204 } }
  - customer: one
  - delivered: { eventType: message, body: { data: { messageBody: one } } }
  - customer: two
  - expect: { delivery: { status: failed, eventType: message, body: { data: { messageBody: two } } } }
  - customer: three
  - delivered: { eventType: message, body: { data: { messageBody: three } } }
`);
  });

  it("is empty where nothing has happened, and starts again with a reset", async () => {
    const text = await recorded(async ({ control }) => {
      await control("POST /threads/9001/inbound", { text: "forgotten" });
      await control("POST /reset", { seed: 3 });
    }, {});
    expect(text).toMatch(/\n\nname: Recorded from the sandbox talk\nseed: 3\nsteps: \[\]\n$/);
  });
});
