/** Every fault of a delivery, as the receiver sees it, and what the log says of it. */
import { createHmac } from "node:crypto";
import { expect, it } from "vitest";
import type { FaultInput } from "../../src/sandbox/faults.js";
import type { BehaviourValues } from "../../src/service/behaviour/table.js";
import { receiver, type Seen } from "../delivery/support.js";
import { startSimulator } from "../support/simulator.js";
import { settled } from "./client.js";

const SECRETS = ["whsec_c2VjcmV0LW9uZQ==", "plain secret"];

const textOf = ({ text }: Seen): string => JSON.parse(text).data.messageBody;

/** A simulator whose only webhook is a receiver, with one fault given through the control API. */
async function withFault(
  then: FaultInput["then"],
  rule: Partial<FaultInput> = {},
  behaviour: Partial<BehaviourValues> = {},
) {
  const target = await receiver();
  const sim = await startSimulator({ clock: "2026-01-01T09:00:00Z", behaviour });
  await sim.control("PATCH /data/webhooks/1", { url: target.url });
  expect((await sim.control("POST /faults", { on: "delivery", then, ...rule })).status).toBe(201);
  /** The customer writes each of these; answers the log when nothing is on its way. */
  const say = async (...texts: string[]): Promise<Record<string, unknown>[]> => {
    for (const text of texts) await sim.control("POST /threads/9001/inbound", { text });
    await settled(sim);
    return (await sim.control("GET /deliveries")).body;
  };
  return { ...target, sim, say, texts: () => target.seen.map(textOf) };
}

it.each<[FaultInput["then"], string, number, string]>([
  [{ status: 500, body: "oh" }, "failed", 500, "oh"],
  [{ status: 410 }, "failed", 410, ""],
  [{ body: { fine: true } }, "delivered", 200, '{"fine":true}'],
  ["rate-limited", "failed", 429, '{"error":"Too many requests"}'],
  ["unavailable", "failed", 503, '{"error":"Service unavailable"}'],
])("%j stands in for the receiver, which is not called", async (then, end, status, responseBody) => {
  const { say, seen } = await withFault(then);
  expect(await say("x")).toMatchObject([{ status: end, attempts: [{ status, responseBody }] }]);
  expect(seen).toEqual([]);
});

it("malformed sends invalid JSON, declared as JSON", async () => {
  const { say, seen } = await withFault({ malformed: true }, { times: 1 });
  await say("broken", "whole");
  expect(seen[0]?.headers["content-type"]).toMatch(/^application\/json/);
  expect(() => JSON.parse(seen[0]!.text)).toThrow(SyntaxError);
  expect(textOf(seen[1]!)).toBe("whole");
});

it.each([
  ["hang-up", 0, []],
  [{ drop: "before" }, 0, []],
  [{ drop: "after" }, 1, [{ status: null, responseBody: null }]],
] as const)("%j ends a delivery without a retry", async (then, calls, attempts) => {
  const retry = { "delivery.attempts": 2, "delivery.backoff": ["1m"] };
  const { say, seen, sim } = await withFault(then, {}, retry);
  expect(await say("x")).toMatchObject([{ status: "dropped", attempts, nextAttemptAt: null }]);
  await sim.control("POST /clock/advance", { by: "1d" });
  expect(seen).toHaveLength(calls);
});

it("duplicate sends n more at the same moment, before the next delivery", async () => {
  const { say, texts, seen } = await withFault({ duplicate: 2 }, { times: 1 });
  const [first] = await say("one", "two");
  expect(texts()).toEqual(["one", "one", "one", "two"]);
  expect(new Set(seen.slice(0, 3).map(({ text }) => text)).size).toBe(1);
  expect(first).toMatchObject({ status: "delivered", attempts: [{}, {}, {}] });
});

const behaviour = { "delivery.signature": { scheme: "standard-webhooks", secrets: SECRETS } } as const;

/** Which of the secrets signed what a receiver got. */
const signers = ({ headers, text }: Seen): boolean[] =>
  ["secret-one", "plain secret"].map((key) => {
    const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${text}`;
    const mac = createHmac("sha256", key).update(signed).digest("base64");
    return String(headers["webhook-signature"]).split(" ").includes(`v1,${mac}`);
  });

it.each<[FaultInput["then"], isRight: boolean]>([
  [{ malformed: true }, true],
  ["bad-signature", false],
])("a signature with %j is right for each secret over the sent bytes: %s", async (then, isRight) => {
  const { say, seen } = await withFault(then, { times: 1 }, behaviour);
  await say("faulty", "whole");
  expect(seen.map(signers)).toEqual([
    [isRight, isRight],
    [true, true],
  ]);
});

it.each(["bad-signature", "stale-signature", { signature: "bad", headers: { "X-Forged": "1" } }] as const)(
  "%j where deliveries are not signed is noted and does not fire, until they are signed",
  async (then) => {
    const { say, sim, seen } = await withFault(then);
    const note = "has no effect: deliveries are not signed (behaviour delivery.signature is null)";
    expect((await sim.control("POST /faults", { on: "delivery", then })).body).toMatchObject({ note });
    await sim.control("DELETE /faults/f2");
    expect(await say("unsigned")).toMatchObject([{ status: "delivered", attempts: [{ status: 200 }] }]);
    expect(seen[0]?.headers).not.toHaveProperty("x-forged");
    const rules = async () => (await sim.control("GET /faults")).body;
    expect(await rules()).toMatchObject([{ seen: 1, fired: 0, note }]);
    await sim.control("PATCH /behaviour", behaviour);
    expect((await rules())[0]).not.toHaveProperty("note");
    await say("signed");
    expect(await rules()).toMatchObject([{ seen: 2, fired: 1 }]);
    expect(seen[1]?.headers).toHaveProperty("webhook-signature");
    await sim.control("PATCH /behaviour", { "delivery.signature": null });
    expect((await sim.control("DELETE /faults/f1")).body).toMatchObject({ fired: 1, note });
  },
);
