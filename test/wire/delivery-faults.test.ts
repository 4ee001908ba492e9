/** Every fault of a delivery, as the receiver sees it, and what the log says of it. */
import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { BehaviourValues } from "../../src/behaviour/table.js";
import type { FaultInput } from "../../src/sandbox/faults.js";
import type { Receiver, Seen } from "../delivery/support.js";
import { receiver } from "../delivery/support.js";
import type { Caller } from "../support/simulator.js";
import { openSandbox } from "../support/simulator.js";
import { settled } from "./client.js";

const SECRETS = ["whsec_c2VjcmV0LW9uZQ==", "plain secret"];

interface Setup extends Receiver {
  readonly sim: Caller;
  /** The customer writes each of these; answers the log when nothing is on its way. */
  say(...texts: string[]): Promise<Record<string, unknown>[]>;
  /** What the receiver got, as the texts of the messages. */
  texts(): string[];
}

const textOf = ({ text }: Seen): string => JSON.parse(text).data.messageBody;

/** A simulator whose only webhook is a receiver, with one fault given through the control API. */
async function withFault(
  then: FaultInput["then"],
  rule: Partial<FaultInput> = {},
  behaviour: Partial<BehaviourValues> = {},
): Promise<Setup> {
  const target = await receiver();
  const sim = await openSandbox({ clock: "2026-01-01T09:00:00Z", behaviour });
  await sim.control("PATCH /data/webhooks/1", { url: target.url });
  expect((await sim.control("POST /faults", { on: "delivery", then, ...rule })).status).toBe(201);
  const say = async (...texts: string[]) => {
    for (const text of texts) await sim.control("POST /threads/9001/inbound", { text });
    await settled(sim);
    return (await sim.control("GET /deliveries")).body;
  };
  return { ...target, sim, say, texts: () => target.seen.map(textOf) };
}

describe("a fault of a delivery", () => {
  it("hold keeps each back until it is released, one after the other, or its rule is gone", async () => {
    const { say, texts, sim } = await withFault({ hold: true, headers: { "X-Held": "1" } });
    const held = { status: "pending", attempts: [], reason: "held back by fault f1" };
    expect(await say("one", "two", "three")).toMatchObject([held, held, held]);
    expect((await sim.control("POST /deliveries/d2/release")).status).toBe(200);
    await settled(sim);
    expect(texts()).toEqual(["two"]);
    expect(await sim.control("POST /deliveries/d2/release")).toMatchObject({
      status: 409,
      body: { error: { message: "the delivery d2 is not held back by a fault" } },
    });
    expect((await sim.control("POST /deliveries/d9/release")).status).toBe(404);
    await sim.control("DELETE /faults/f1");
    const log = await say("four");
    expect(texts()).toEqual(["two", "one", "three", "four"]);
    const sent = { status: "delivered", reason: null };
    expect(log).toMatchObject([sent, sent, sent, sent]);
    expect(log.map(({ headers }) => (headers as object)["X-Held" as never])).toEqual([
      "1",
      "1",
      "1",
      undefined,
    ]);
  });

  it("hold lets those pass that its rule does not fit", async () => {
    const { say, texts, sim } = await withFault({ hold: true }, { times: 1 });
    await say("one", "two");
    expect(texts()).toEqual(["two"]);
    await sim.control("POST /deliveries/d1/release");
    await settled(sim);
    expect(texts()).toEqual(["two", "one"]);
  });
});

describe("a preset on a delivery", () => {
  it.each([["rate-limited", 429]] as const)(
    "%s answers %i in place of the receiver, and a retry gets through",
    async (preset, status) => {
      const retry = { "delivery.attempts": 2, "delivery.backoff": ["1m"] };
      const { say, texts, sim } = await withFault(preset, { times: 1 }, retry);
      expect(await say("x")).toMatchObject([{ status: "pending", attempts: [{ status }] }]);
      await sim.control("POST /clock/advance", { by: "1m" });
      expect((await sim.control("GET /deliveries")).body).toMatchObject([
        { status: "delivered", attempts: [{ status }, { status: 200 }] },
      ]);
      expect(texts()).toEqual(["x"]);
    },
  );
});

describe("a signature", () => {
  const behaviour = { "delivery.signature": { scheme: "standard-webhooks", secrets: SECRETS } } as const;
  const keys = [Buffer.from("secret-one"), Buffer.from("plain secret")];

  /** What a receiver that knows the secrets makes of what it got: which of them signed it, and how old it says it is. */
  function judged({ headers, text }: Seen): { signed: boolean[]; age: number } {
    const id = String(headers["webhook-id"]);
    const at = String(headers["webhook-timestamp"]);
    const given = String(headers["webhook-signature"]).split(" ");
    const signed = keys.map((key) => {
      const mac = createHmac("sha256", key).update(`${id}.${at}.${text}`).digest("base64");
      return given.includes(`v1,${mac}`);
    });
    return { signed, age: Date.now() / 1000 - Number(at) };
  }

  it("is one for each secret over the bytes that came, those of a malformed body too", async () => {
    const { say, seen } = await withFault({ malformed: true }, { times: 1 }, behaviour);
    await say("broken", "whole");
    for (const each of seen) {
      const { signed, age } = judged(each);
      expect(signed).toEqual([true, true]);
      expect(Math.abs(age)).toBeLessThan(60);
    }
    expect(seen).toHaveLength(2);
  });

  it("is by nobody's secret with bad-signature", async () => {
    const { say, seen } = await withFault("bad-signature", {}, behaviour);
    await say("x");
    expect(seen.map((each) => judged(each).signed)).toEqual([[false, false]]);
    expect(judged(seen[0]!).age).toBeLessThan(60);
  });

  it("is right and long past with stale-signature", async () => {
    const { say, seen } = await withFault("stale-signature", {}, behaviour);
    await say("x");
    const { signed, age } = judged(seen[0]!);
    expect(signed).toEqual([true, true]);
    expect(age).toBeGreaterThan(300);
  });
});
