/** What `record --as test` writes, run against systems under test that do the same, something else, or nothing. */
import { expect, it } from "vitest";
import { parse } from "yaml";
import { run } from "../cli/terminal.js";
import { type Heard, receiver, scratch } from "../scenarios/support.js";
import { type Running, startSimulator } from "../support/simulator.js";

const SEND = "POST /api/send-message-to-customer-thread";

/** A system under test: greets customers, leaves a note, sends a template where the window is closed, and resolves the thread. */
async function botOf(sim: Running, greeting = "Good morning!"): Promise<string> {
  const call = (what: string, body: object) => sim.api(what, body, { token: "acme-token" });
  return receiver(async ({ eventType, data }: Heard) => {
    if (eventType !== "message" || !data.fromCustomer) return;
    const customerThreadId = data.customerThreadId;
    const sent = await call(SEND, { customerThreadId, text: `${greeting} You said: ${data.messageBody}` });
    const contentSid = "HX00000000000000000000000000000001";
    if (sent.status !== 200) return void (await call(SEND, { customerThreadId, contentSid }));
    await call(SEND, { customerThreadId, text: "greeted", internal: true });
    const resolved = { customerThreadId: String(customerThreadId), status: "resolved" };
    await call("POST /api/update-thread-status", resolved);
  });
}

/** A simulator after a session with the bot. */
async function recorded(options: Parameters<typeof startSimulator>[0] = {}): Promise<Running> {
  const sim = await startSimulator(options);
  const settle = () => sim.control("POST /wait", { for: "idle" });
  await sim.control("POST /connect", { url: await botOf(sim) });
  await sim.control("POST /faults", { on: "delivery", times: 1, then: { duplicate: 1 } });
  await sim.control("DELETE /faults/f1");
  await sim.control("POST /threads/9001/inbound", { text: "Hello ${thread}" });
  await settle();
  await sim.control("POST /threads/9001/window", { open: false });
  await sim.control("POST /threads/9001/inbound", { text: "Still there?" });
  await settle();
  await sim.control("POST /clock/advance", { by: "1h" });
  return sim;
}

const recordingOf = async (sim: Running, ...words: string[]) => {
  const { code, out, err } = await run(["record", "--url", sim.url, ...words]);
  expect([code, err]).toEqual([0, ""]);
  return out;
};

const called = (operation: string, status: number, body: object) => ({
  expect: { request: { operation, body, status } },
});

/** How each recording of the session begins. */
const FIRST_STEPS = [
  { id: "fault", fault: { on: "delivery", times: 1, then: { duplicate: 1 } } },
  { control: "DELETE /faults/${fault.body.id}" },
  { customer: "Hello $${thread}" },
  { reply: "Good morning! You said: Hello $${thread}" },
  called("sendMessageToCustomerThread", 200, { customerThreadId: 9001, text: "greeted", internal: true }),
  called("updateThreadStatus", 200, { customerThreadId: "${thread}", status: "resolved" }),
  { window: "closed" },
  { customer: "Still there?" },
];

it("makes steps of what people and the clock did, and expectations of what the system under test did", async () => {
  const text = await recordingOf(await recorded());
  expect(text).toContain('token: acme-token\nthread: "9001"\n');
  expect(text).not.toMatch(/request: POST|127\.0\.0\.1|fixtures:/);
  const { steps } = parse(text) as { steps: object[] };
  const refused = { customerThreadId: 9001, text: "Good morning! You said: Still there?" };
  expect(steps.filter((step) => !("delivered" in step))).toEqual([
    ...FIRST_STEPS,
    called("sendMessageToCustomerThread", 400, refused),
    { reply: { template: "issue_back" } },
    { advance: "1h" },
  ]);
  expect(steps.filter((step) => "delivered" in step)).toHaveLength(5);

  const file = scratch()("session.yaml", text);
  const other = await startSimulator();
  const against = async (hook: string) => run(["run", file, "--url", other.url, "--hook", hook]);
  expect(await against(await botOf(other))).toMatchObject({ code: 0, err: "" });
  const rude = await against(await botOf(other, "What?"));
  expect(rude.out).toContain('the reply should be "Good morning!');
  const alone = await run(["run", file]);
  expect([alone.code, alone.out]).toEqual([1, expect.stringContaining("no program is connected")]);
});

it("reads ids in texts from events about what the system under test began", async () => {
  /** A system under test that opens a conversation at a transfer, and mentions ids of messages. */
  const botOf = async (sim: Running): Promise<string> =>
    receiver(async ({ eventType, data: { fromCustomer, messageId, customerThreadId } }) => {
      const begun = { businessId: "1001", message: "Hi", user: { email: "x@y.example" } };
      const reply = { customerThreadId: String(customerThreadId), text: `re: ${messageId}` };
      if (eventType === "transfer") await sim.api("POST /api/widget/send-message-to-business", begun);
      else if (fromCustomer) await sim.api(SEND, reply);
    });
  const sim = await startSimulator();
  await sim.control("POST /connect", { url: await botOf(sim) });
  await sim.control("POST /threads/9001/transfer", { businessId: "1002" });
  const requests = { body: { text: { $contains: "re: " } }, status: 200 };
  await sim.control("POST /wait", { for: { requests } });
  const text = await recordingOf(sim);
  expect(text).toContain("re: ${message.body.data.messageId}");
  const other = await startSimulator();
  const words = ["--url", other.url, "--hook", await botOf(other)];
  expect(await run(["run", scratch()("session.yaml", text), ...words])).toMatchObject({ code: 0, err: "" });
});
