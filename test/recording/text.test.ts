/** What recordings look like. */
import { describe, expect, it } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { acceptingReceiver, recordOf, replay } from "./recorder.js";

const START = `\
clock: 2026-01-01T12:00:00.000Z
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
behaviour:
  window.duration: 24h
clock: 2026-01-01T12:00:00.000Z
seed: 7
thread: "9001"
steps:
  - customer: Is my order ready?
  - delivered: { eventType: message, body: { data: { messageBody: Is my order ready? } } }
  - advance: 25h
  - window: open
  - employee: { user: "501", says: I take over, internal: true }
  - delivered: { eventType: message, body: { data: { messageBody: I take over } } }
  - transfer: "1002"
  - delivered: { eventType: transfer, body: { data: { newBusinessId: 1002 } } }
  - status: resolved
  - customer: { thread: "9002", says: Me too }
  - delivered: { eventType: message, body: { data: { messageBody: Me too } } }
`,
  "ids that a step has made": `${START}thread: "9001"
steps:
  - id: customer
    control: POST /data/customers
    body: { organizationId: "200", displayName: New }
  - set: { collection: customers, id: "\${customer.body.id}", values: { displayName: Newer } }
  - customer: I am \${customer.body.id}
  - id: message
    delivered: { eventType: message, body: { data: { messageBody: "I am \${customer.body.id}" } } }
  - control: POST /deliveries/\${message.id}/replay
  - delivered: { eventType: message, body: { data: { messageBody: "I am \${customer.body.id}" } } }
`,
  "faults, snapshots and time": `${START}thread: "9001"
steps:
  - behaviour: { delivery.attempts: 2, delivery.backoff: [ 1m ] }
  - fault: { on: delivery, times: 1, then: { status: 500 } }
  - customer: one
  - advance: 90s
  - delivered: { eventType: message, body: { data: { messageBody: one } } }
  - clearFaults: true
  - snapshot: now
  - customer: two
  - delivered: { eventType: message, body: { data: { messageBody: two } } }
  - restore: now
  - emit: { event: message, data: { customerThreadId: 9001, messageBody: given } }
  - delivered: { eventType: message, body: { data: { messageBody: given } } }
`,
};

it.each(Object.entries(WRITTEN))("holds %s", async (_, written) => {
  const schema = "node_modules/messaging-sim/schemas/scenario.json";
  const head = `# yaml-language-server: $schema=${schema}\n\nname: Recorded from the sandbox s1\n`;
  expect(await recorded(written)).toBe(head + written);
});

describe("a recording", () => {
  it("has no secrets in it", async () => {
    const text = await recorded(`${START}steps:
  - set: { collection: webhooks, id: 1, values: { extraHeaders: [ { name: Authorization, value: Bearer s3cret } ] } }
  - behaviour: { delivery.signature: { scheme: standard-webhooks, secrets: [ whsec_czNjcmV0 ] } }
`);
    expect(text).not.toMatch(/s3cret|czNjcmV0|s1\./);
    expect(text).toContain('values: { extraHeaders: [ { name: Authorization, value: "***" } ] } }\n');
    expect(text).toContain(
      '  - behaviour: { delivery.signature: { scheme: standard-webhooks, secrets: [ "***" ] } }\n',
    );
  });

  it("is empty where nothing has happened, and starts again with a reset", async () => {
    const sim = await startSimulator({ set: {} });
    await sim.control("POST /threads/9001/inbound", { text: "forgotten" });
    await sim.control("POST /reset", { seed: 3 });
    const text = await recordOf(sim, "default");
    expect(text).toMatch(/\n\nname: Recorded from the sandbox default\nseed: 3\nsteps: \[\]\n$/);
  });
});
