/** What recordings look like. */
import { describe, expect, it } from "vitest";
import { NumberIn, writtenBody } from "../../src/scenarios/recording/references.js";
import { startSimulator } from "../support/simulator.js";
import { acceptingReceiver, recordOf, replay } from "./recorder.js";

const START = `\
clock: 2026-01-01T12:00:00.000Z
token: acme-token
`;

/** Runs a scenario and returns its recording, which passes as well. */
async function recorded(written: string): Promise<string> {
  const sim = await startSimulator({ set: {} });
  const receiver = await acceptingReceiver();
  const record = async (text: string) => {
    const { report, seen } = await replay(sim, text, receiver, (sandbox) => recordOf(sim, sandbox));
    expect(report.steps.filter(({ ok }) => !ok)).toEqual([]);
    return seen;
  };
  const text = await record(written);
  await record(text);
  return text;
}

/** Scenarios that are recorded as they were written. */
const WRITTEN = {
  "a conversation": `\
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
  - request: GET /api/webhooks/
    token: null
    expect: { status: 401, body: { error: Missing API token } }
  - request: GET /api/webhooks/
    token: globex-token
    expect: { status: 200, body: [] }
  - customer: { thread: "9002", says: Me too }
  - delivered: { eventType: message, body: { data: { messageBody: Me too } } }
`,
  "ids that a step has made": `${START}steps:
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
`,
  "the order of calls and control calls": `${START}thread: "9001"
steps:
  - behaviour: { delivery.attempts: 2, delivery.backoff: [ 1m ] }
  - fault: { on: request, times: 1, then: unavailable }
  - request: GET /api/customers/nobody/profile
    expect: { status: 503, body: { error: Service unavailable } }
  - customer: one
  - delivered: { eventType: message, body: { data: { messageBody: one } } }
  - request: GET /api/customers/nobody/profile
    expect: { status: 404, body: { error: Customer not found } }
  - advance: 90s
  - clearFaults: true
  - snapshot: now
  - customer: one
  - delivered: { eventType: message, body: { data: { messageBody: one } } }
  - restore: now
  - emit: { event: message, data: { customerThreadId: 9001, messageBody: given } }
  - delivered: { eventType: message, body: { data: { messageBody: given } } }
`,
  "an id that a restored snapshot gives out again": `${START}steps:
  - snapshot: before
  - id: conversation2
    request: POST /api/widget/send-message-to-business
    body: { businessId: "1001", message: Hi, user: { email: new@customer.example } }
    expect: { status: 200, body: { result: ok } }
  - delivered: { eventType: message, body: { data: { messageBody: Hi } } }
  - snapshot: after
  - restore: before
  - id: conversation
    request: POST /api/widget/send-message-to-business
    body: { businessId: "1001", message: Ho, user: { email: new@customer.example } }
    expect: { status: 200, body: { result: ok } }
  - delivered: { eventType: message, body: { data: { messageBody: Ho } } }
  - customer: { thread: "\${conversation.body.customerThreadId}", says: second }
  - delivered: { eventType: message, body: { data: { messageBody: second } } }
  - restore: after
  - customer: { thread: "\${conversation2.body.customerThreadId}", says: first }
  - delivered: { eventType: message, body: { data: { messageBody: first } } }
`,
};

it.each(Object.entries(WRITTEN))("holds %s", async (_, written) => {
  const schema = "node_modules/messaging-sim/schemas/scenario.json";
  const head = `# yaml-language-server: $schema=${schema}\n\nname: Recorded from the sandbox s1\n`;
  expect(await recorded(written)).toBe(head + written);
});

describe("a recording", () => {
  it("has no secrets in it", async () => {
    const url = "https://me:s3cret@bot.example/hook?key=s3cret";
    const text = await recorded(`${START}steps:
  - request: POST /api/webhooks/crm/update
    body: { extraHeaders: [ { name: Authorization, value: Bearer s3cret } ] }
  - request: GET /api/webhooks/?api_key=s3cret&of=https%3A%2F%2Fme%3As3cret%40bot.example
  - request: POST /api/webhooks/
    body: { url: "${url}", subscribedEvents: [ messages ] }
  - set: { collection: webhooks, id: 1, values: { extraHeaders: [ { name: Authorization, value: Bearer s3cret } ] } }
  - behaviour: { delivery.signature: { scheme: standard-webhooks, secrets: [ whsec_czNjcmV0 ] } }
`);
    expect(text).not.toMatch(/s3cret|czNjcmV0|s1\./);
    expect(text).toContain('    body: { extraHeaders: [ { name: Authorization, value: "***" } ] }\n');
    expect(text).toMatch(/GET \/api\/webhooks\/\?api_key=\*\*\*&of=https%3A%2F%2F\S+%40bot\.example\n/);
    expect(text).toContain("url: https://bot.example/hook?key=***");
    expect(text).toContain('      values: { extraHeaders: [ { name: Authorization, value: "***" } ] }\n');
    expect(text).toContain(
      '  - behaviour: { delivery.signature: { scheme: standard-webhooks, secrets: [ "***" ] } }\n',
    );
  });

  it("has a body as text where a number in it comes from text", () => {
    const body = { id: new NumberIn("${a}"), text: 'a ${b} "c" $${d} ${' };
    expect(writtenBody(body)).toBe('{"id":${a},"text":"a ${b} \\"c\\" \\u0024{d} \\u0024{"}');
  });

  it("is empty where nothing has happened, and starts again with a reset", async () => {
    const sim = await startSimulator({ set: {} });
    await sim.control("POST /threads/9001/inbound", { text: "forgotten" });
    await sim.control("POST /reset", { seed: 3 });
    const text = await recordOf(sim, "default");
    expect(text).toMatch(/\n\nname: Recorded from the sandbox default\nseed: 3\nsteps: \[\]\n$/);
  });
});
