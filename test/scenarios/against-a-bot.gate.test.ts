/** Scenarios against a system under test: the bot that the contract's second example describes, and worse ones. */
import { describe, expect, it } from "vitest";
import { pointWebhooksAt, resetSandbox } from "../../src/scenarios/prepare.js";
import type { Report } from "../../src/scenarios/report.js";
import { type RunOptions, runScenario } from "../../src/scenarios/run.js";
import type { ParsedStep } from "../../src/scenarios/step.js";
import { startSimulator } from "../support/simulator.js";
import { until } from "../support/until.js";
import { type Heard, last, read, receiver } from "./support.js";

const EXAMPLE = `
name: The bot greets, keeps quiet for a colleague, and uses a template when it must
thread: "9001"
steps:
  - customer: Hello
  - reply: { matches: "hello|good (morning|evening)" }   # a message by the client, visible to the customer, in this thread
  - employee: { user: "501", says: "I take over" }
  - silent: 1s
  - window: closed
  - employee: { user: "501", says: "Bot, please follow up", internal: true }
  - reply: { template: issue_back }
`;

type Say = (message: object) => Promise<number>;

/** Runs a scenario with all webhooks pointed at a bot. */
async function against(
  bot: (event: Heard, say: Say) => Promise<unknown> | void,
  source: string | object,
  options: RunOptions = {},
): Promise<Report> {
  const sim = await startSimulator();
  const say: Say = async (message) =>
    (await sim.api("POST /api/send-message-to-customer-thread", message)).status;
  const hook = await receiver(async (event) => void (await bot(event, say)));
  const scenario = await read(source);
  await resetSandbox(scenario, { url: sim.url });
  await pointWebhooksAt(hook, { url: sim.url });
  return runScenario(scenario, { url: sim.url }, { fresh: true, ...options });
}

const greeter = ({ data }: Heard, say: Say) => {
  const customerThreadId = String(data.customerThreadId);
  if (data.fromCustomer) return say({ customerThreadId, text: "Good morning! How can I help?" });
  if (data.invisible && data.messageBody.startsWith("Bot,"))
    return say({ customerThreadId, contentSid: "HX00000000000000000000000000000001" });
};

/** Answers every message of the customer with these. */
const answering =
  (...texts: string[]) =>
  async ({ data }: Heard, say: Say) => {
    if (!data.fromCustomer) return;
    for (const text of texts) await say({ customerThreadId: String(data.customerThreadId), text });
  };

const steps = (...items: object[]) => ({
  thread: "9001",
  within: "2s",
  steps: [{ customer: "Hi" }, ...items],
});

it("passes the contract's example", async () => {
  const report = await against(greeter, EXAMPLE);
  expect(report.steps.filter(({ ok }) => !ok)).toEqual([]);
  expect(report.steps.map(({ said }) => said?.text).filter(Boolean)).toEqual([
    "Hello",
    "Good morning! How can I help?",
    "I take over",
    "Bot, please follow up",
    "Sorry for the wait. Reply YES if you still need us.",
  ]);
  expect(report.steps[1]?.latencyMs).toBeGreaterThan(0);
});

describe("reply", () => {
  it.each([
    [{ reply: "Hello" }, 'the reply should be "Hello"'],
    [{ reply: { contains: "hello" } }, 'the reply should contain "hello"'],
    [{ reply: { matches: "^there" } }, "the reply should match /^there/i"],
    [{ reply: { oneOf: ["Hi", "Ho"] } }, 'the reply should be "Hi" or "Ho"'],
    [{ reply: { not: ["Hello", "Bye"] } }, 'the reply should not contain "Hello"'],
    [{ reply: { not: ["Bye", "So long", "lo th"] } }, 'the reply should not contain "lo th"'],
    [{ reply: { not: "there" } }, 'the reply should not contain "there"'],
    [{ reply: { template: "issue_back" } }, 'the reply should be the template "issue_back"'],
    [{ reply: { text: "Hi", contains: "i" } }, 'the reply should be "Hi", and should contain "i"'],
  ])("refuses with %j", async (step, message) => {
    const report = await against(answering("Hello there"), steps(step));
    expect(last(report)).toMatchObject({ ok: false, message, seen: "Hello there", said: { who: "client" } });
  });

  it("takes messages one after the other", async () => {
    const bot = answering("One moment", "Here it is", "Bye");
    const report = await against(
      bot,
      steps({ reply: "One moment" }, { reply: "Here it is" }, { reply: "x" }),
    );
    expect(last(report)).toMatchObject({ ok: false, seen: "Bye" });
  });

  it("is timed from the customer's message to its own receipt, however late the step looks", async () => {
    let isAnswered = false;
    const bot = async (event: Heard, say: Say) => {
      await answering("a")(event, say);
      isAnswered = true;
    };
    const started = performance.now();
    const beforeStep = ({ kind }: ParsedStep) => kind.key === "wait" && until(() => isAnswered);
    const report = await against(bot, steps({ wait: 500 }, { reply: "a" }), { beforeStep });
    expect(last(report).latencyMs).toBeLessThan(performance.now() - started - 500);
    const unasked = await against(answering("a"), {
      thread: "9001",
      steps: [{ control: "POST /threads/9001/inbound", body: { text: "Hi" } }, { reply: "a" }],
    });
    expect(last(unasked)).toMatchObject({ ok: true });
    expect(last(unasked)).not.toHaveProperty("latencyMs");
  });

  it("takes a message whose answer the bot never got", async () => {
    const bot = async ({ data }: Heard, say: Say) => {
      if (data.fromCustomer) await say({ customerThreadId: "9001", text: "Hello" }).catch(() => {});
    };
    const withCut = (drop: string, step: object) => {
      const fault = { on: "request", times: 1, then: { drop } };
      return against(bot, { thread: "9001", steps: [{ fault }, { customer: "Hi" }, step] });
    };
    expect(await withCut("after", { reply: "Hello" })).toMatchObject({ ok: true });
    expect(await withCut("before", { silent: 50 })).toMatchObject({ ok: true });
    expect(last(await withCut("after", { silent: "20s" }))).toMatchObject({ ok: false, seen: "Hello" });
  });

  it("shows a message that was refused as the nearest miss, and what no step expected", async () => {
    const report = await against(answering("Hello"), { ...steps({ reply: "Hello" }), thread: "9002" });
    expect(last(report).nearMisses?.[0]).toMatchObject({
      summary: "POST /api/send-message-to-customer-thread → 400",
      differences: [{ path: "succeeded" }],
    });
    expect(report.unexpected).toMatchObject([{ by: "client", status: 400 }]);
    expect(report.transcript).toContain("Maria Lopez");
  });
});

describe("silent and none", () => {
  it("fail at once when something comes", async () => {
    const started = performance.now();
    const afterReply = (step: object) =>
      against(answering("a"), steps({ reply: "a" }, { customer: "Again" }, step));
    const noisy = { ok: false, message: "your program was not silent", seen: "a" };
    expect(last(await afterReply({ silent: "60s" }))).toMatchObject(noisy);
    const none = { request: { operation: "sendMessageToCustomerThread" } };
    const message = "there should have been none for 60000 ms";
    expect(last(await afterReply({ expect: { none, for: "60s" } }))).toMatchObject({ ok: false, message });
    expect(performance.now() - started).toBeLessThan(15_000);
  });

  const silent = { silent: 50 };
  const none = { expect: { none: { delivery: {} }, for: 50 } };
  const delivered = { delivered: "message" };
  const open = { expect: { state: { collection: "threads", id: "9001", values: { status: "waiting" } } } };
  it.each<[boolean, string[], object[]]>([
    [false, ["a"], [silent]],
    [false, ["a"], [{ log: "x" }, silent]],
    [false, ["a"], [delivered, silent]],
    [false, ["a"], [open, silent]],
    [false, ["a", "b"], [{ reply: "a" }, silent]],
    [false, ["a"], [{ reply: "a" }, { repeat: { times: 2, steps: [silent, { customer: "Again" }] } }]],
    [false, ["a"], [none]],
    [true, ["a"], [{ reply: "a" }, silent]],
    [true, ["a"], [{ reply: "a" }, delivered, delivered, silent]],
    [true, ["a"], [{ expect: { request: { path: "/api/*" } } }, silent]],
    [true, ["a"], [{ reply: "a" }, { wait: 1 }, { expect: { idle: true } }, silent]],
    [true, ["a"], [delivered, delivered, none]],
    [true, ["a"], [{ reply: "a" }, { employee: { user: "501", says: "I take over" } }, silent, silent]],
    [false, ["a"], [delivered, delivered, silent]],
    [false, ["a"], [{ wait: 1 }, silent]],
    [false, ["a"], [{ expect: { idle: true } }, silent]],
    [false, ["a"], [{ advance: "1h" }, { window: "closed" }, silent]],
  ])("look back to the last step that caused a delivery: %s for %j and %j", async (ok, texts, more) => {
    let [asked, answered] = [0, 0];
    const bot = async (event: Heard, say: Say) => {
      await answering(...texts)(event, say);
      if (event.data.fromCustomer) answered += 1;
    };
    // When a step begins, the bot has already answered the customer.
    const beforeStep: RunOptions["beforeStep"] = ({ kind }) =>
      kind.key === "customer" ? (asked += 1) : until(() => answered === asked);
    const report = await against(bot, steps(...more), { beforeStep });
    expect(report.ok).toBe(ok);
  });
});

it("sums up contract warnings by call site", async () => {
  const bot = async ({ data }: Heard, say: Say) => {
    if (data.fromCustomer) await say({ customerThreadId: data.customerThreadId, text: "a" });
  };
  const report = await against(bot, steps({ reply: "a" }, { customer: "b" }, { reply: "a" }));
  expect(report.ok).toBe(true);
  const warning = { code: "number-id", by: "client", count: 2, site: "POST sendMessageToCustomerThread" };
  expect(report.warnings).toContainEqual(expect.objectContaining(warning));
});
