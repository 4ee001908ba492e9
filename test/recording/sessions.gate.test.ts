/** What is recorded passes with the program that it was recorded from. */
/* Slow: plays and replays twenty random sessions with a bot. */
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { ownSandbox, pointWebhooksAt } from "../../src/scenarios/prepare.js";
import { prettyReport } from "../../src/scenarios/reporters.js";
import { runScenario } from "../../src/scenarios/run.js";
import { read } from "../scenarios/support.js";
import { serverOf } from "../support/server.js";
import { type Running, startSimulator } from "../support/simulator.js";
import { recordOf } from "./recorder.js";

const CLOCK = "2026-01-05T09:00:00Z";
const BEHAVIOUR = { "window.duration": "24h", "delivery.attempts": 3, "delivery.backoff": ["1m", "5m"] };
const TEMPLATE = "HX00000000000000000000000000000001";

/**
 * A bot that answers each customer, with a template if free-form text is refused, notes transfers for colleagues, and tries a call that
 * is answered with 503 once more.
 */
function bot(api: string, token: string): Promise<string> {
  /** The status of a call; 0 if its connection was closed. */
  const call = async (body: object): Promise<number> => {
    const answer = fetch(`${api}/api/send-message-to-customer-thread`, {
      method: "POST",
      headers: { token, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    return answer.then(
      ({ status }) => status,
      () => 0,
    );
  };
  const send = async (customerThreadId: string, content: object): Promise<void> => {
    const body = { customerThreadId, ...content };
    const first = await call(body);
    const status = first === 503 ? await call(body) : first;
    if (status === 400 && "text" in content) await send(customerThreadId, { contentSid: TEMPLATE });
  };
  return serverOf(async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    const { eventType, data } = JSON.parse(text);
    const thread = String(data.customerThreadId);
    if (eventType === "transfer")
      await send(thread, { text: `Now with ${data.newBusinessName}`, internal: true });
    else if (data.fromCustomer) await send(thread, { text: `You said: ${data.messageBody}` });
    response.end();
  });
}

const thread = fc.constantFrom("9001", "9002", "9003");
const text = fc.constantFrom("Hello", "Is my order ready?", "Thanks!");
const control = (line: string, body: object) => ({ line, body });
const ACTIONS = [
  fc.tuple(thread, text).map(([id, said]) => control(`POST /threads/${id}/inbound`, { text: said })),
  fc
    .tuple(thread, text, fc.boolean())
    .map(([id, said, internal]) =>
      control(`POST /threads/${id}/employee-message`, { userId: "501", text: said, internal }),
    ),
  fc.constantFrom("1m", "6m", "25h").map((by) => control("POST /clock/advance", { by })),
  fc.tuple(thread, fc.boolean()).map(([id, open]) => control(`POST /threads/${id}/window`, { open })),
  thread.map((id) => control(`PATCH /data/threads/${id}`, { status: "resolved" })),
  fc
    .tuple(thread, fc.constantFrom("1001", "1002"))
    .map(([id, businessId]) => control(`POST /threads/${id}/transfer`, { businessId })),
  fc
    .constantFrom<unknown>(
      "unavailable",
      { status: 500 },
      { drop: "before" },
      { drop: "after" },
      { malformed: true },
    )
    .map((then) => control("POST /faults", { on: "request", times: 1, then })),
  fc
    .constantFrom<unknown>(
      { duplicate: 2 },
      { drop: "before" },
      { drop: "after" },
      { status: 500 },
      { delayMs: 5 },
    )
    .map((then) => control("POST /faults", { on: "delivery", times: 1, then })),
  fc.constant(
    control("POST /events", { eventType: "message", data: { customerThreadId: 9001, messageBody: "Given" } }),
  ),
];
/** Each fault of a delivery, met by a question. */
const FAULTY = ["duplicate: 2", "drop: before", "drop: after", "status: 500"].map((effect) => {
  const [key = "", value = ""] = effect.split(": ");
  const then = { [key]: /^\d/.test(value) ? Number(value) : value };
  const asked = control("POST /threads/9001/inbound", { text: "Hello" });
  const later = control("POST /clock/advance", { by: "6m" });
  return [control("POST /faults", { on: "delivery", times: 1, then }), asked, asked, later];
});
const SESSIONS = fc.array(fc.oneof(...ACTIONS), { minLength: 3, maxLength: 12 });

const settled = (sim: Running, base: string) => sim.control(`POST ${base}/wait`, { for: "idle" });

it("a recording passes with the bot that it was recorded from, whatever happened", async () => {
  const sim = await startSimulator({ behaviour: BEHAVIOUR });
  let session = 0;
  await fc.assert(
    fc.asyncProperty(SESSIONS, async (actions) => {
      const id = `s${(session += 1)}`;
      await sim.control(`PUT /sandboxes/${id}`, { clock: CLOCK });
      const base = `/sandboxes/${id}`;
      await sim.control(`POST ${base}/connect`, { url: await bot(sim.url, `${id}.acme-token`) });
      for (const { line, body } of actions) {
        const [method, path] = line.split(" ");
        const { status } = await sim.control(`${method} ${base}${path}`, body);
        expect([200, 201, 202, 409]).toContain(status);
        await settled(sim, base);
      }
      const recorded = await recordOf(sim, id);
      const scenario = await read(recorded);
      const own = await ownSandbox(scenario, { url: sim.url });
      await pointWebhooksAt(await bot(sim.url, `${own.sandbox}.acme-token`), own);
      // Faults may have kept every event from the bot: then the recording tests nothing of it.
      const { body: calls } = await sim.control(`GET ${base}/requests?by=client&limit=1`);
      const report = await runScenario(scenario, own, { fresh: true, hasSystem: calls.length > 0 });
      await own.dispose();
      expect(report.ok, `${recorded}\n${prettyReport(report)}`).toBe(true);
    }),
    { numRuns: 20 + FAULTY.length, endOnFailure: true, examples: FAULTY.map((actions) => [actions]) },
  );
});
