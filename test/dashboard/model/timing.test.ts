/** Where the time of a turn went, and how webhooks did over time. */
import { expect, it } from "vitest";
import { STEP_MS, STEPS } from "../../../dashboard/src/play/present-script";
import { sumsOf, timingOf, webhookTimings } from "../../../dashboard/src/play/timing";
import { turnsOf } from "../../../dashboard/src/story/turns";
import type { Told } from "./story";
import { answer, attempt, delivery, inbound, NOW, poll, QUESTION, request, sourcesOf } from "./story";

/** The stretches of each turn in words: `event 10, attempts 20`. */
function stretchesOf(told: Told): string[] {
  const { wrote = {}, requests = [], deliveries = [] } = told;
  const logs = {
    request: (id: string) => requests.find((one) => one.id === id),
    delivery: (id: string) => deliveries.find((one) => one.id === id),
    writerOf: (id: string) => wrote[id],
  };
  return turnsOf(sourcesOf(told)).map((turn) => {
    const { stretches = [], hasReply = false, isFrozen = false } = timingOf(turn, logs) ?? {};
    const words = stretches.map(({ phase, ms }) => `${phase} ${ms}`).join(", ");
    return `${words}${hasReply ? "" : ", no reply"}${isFrozen ? ", frozen" : ""}`;
  });
}

const asked = inbound("c1", null, "1");
const tried = (...tries: readonly (readonly [status: number, at: number, ms: number])[]) =>
  delivery("d1", "c1", "1", {
    attempts: tries.map(([status, at, durationMs]) => ({ ...attempt(status), at: NOW + at, durationMs })),
  });
const replied = (at: number, durationMs: number) => request("r9", { at: NOW + at, durationMs });
const read = (id: string, at: number, durationMs: number) => poll(id, { at: NOW + at, durationMs });

const answered = [QUESTION, answer("2", "A", { timestamp: NOW + 100 })];
const REPLY = { messages: answered, wrote: { 2: "r9" }, controls: [asked] };

it("divides the time from the question to the end of the reply among event, attempts, bot, calls and reply", () => {
  const requests = [read("r1", 40, 5), read("r2", 60, 5), replied(90, 12)];
  expect(stretchesOf({ ...REPLY, deliveries: [tried([200, 10, 20])], requests })).toEqual([
    "event 10, attempts 20, bot 10, calls 5, bot 15, calls 5, bot 25, reply 12",
  ]);
});

it("counts a reply from inside the webhook once, and waits between attempts for nobody but the bot", () => {
  const deliveries = [tried([500, 0, 10], [200, 60, 80])];
  const told = { ...REPLY, deliveries, requests: [replied(90, 12)] };
  expect(stretchesOf(told)).toEqual(["attempts 10, bot 50, attempts 30, reply 12"]);
});

it("shows durations alone where the clock stood still, and what there was without a reply", () => {
  const told = { controls: [asked], deliveries: [tried([500, 0, 18])], requests: [read("r1", 0, 5)] };
  expect(stretchesOf(told)).toEqual(["attempts 18, calls 5, no reply, frozen"]);
  const running = { controls: [asked], deliveries: [tried([500, 4, 18])] };
  expect(stretchesOf(running)).toEqual(["event 4, attempts 18, no reply"]);
  const early = { ...REPLY, requests: [read("r1", 40, 5), replied(90, 12)] };
  expect(stretchesOf(early)).toEqual(["bot 40, calls 5, bot 45, reply 12"]);
  for (const messages of [[answer("2", "A")], answered])
    expect(stretchesOf({ messages })).toEqual([", no reply"]);
});

it("adds the stretches of a phase up", () => {
  const stretches = (["bot", "calls", "bot"] as const).map((phase, at) => ({ phase, ms: at + 1 }));
  expect(sumsOf(stretches)).toEqual([
    { phase: "bot", ms: 4 },
    { phase: "calls", ms: 2 },
  ]);
});

it("measures success rate and p95 of each webhook, together and over time", () => {
  const at = (index: number) => (index < 10 ? index : 1_000 + index);
  const attempts = Array.from({ length: 20 }, (_, index) => ({
    ...attempt(index < 15 ? 200 : index === 19 ? null : 500),
    at: NOW + at(index),
    durationMs: index + 1,
  }));
  const other = delivery("d2", null, "2", { hookId: "other", attempts: [] });
  const [crm, ...more] = webhookTimings([delivery("d1", null, "1", { attempts }), other]);
  expect(more).toEqual([]);
  expect(crm).toMatchObject({ hookId: "crm", count: 20, rate: 75, p95: 19 });
  const [first, last] = [crm?.spans[0], crm?.spans.at(-1)];
  expect(first).toMatchObject({ count: 10, rate: 100, p95: 10 });
  expect(last).toMatchObject({ count: 10, rate: 50, p95: 20 });
  expect(crm?.spans.length).toBe(2);
  expect((last?.at ?? 0) - (first?.at ?? 0)).toBeCloseTo(0.967, 2);
});

it("takes a minute, each step with a caption of its own", () => {
  expect(Math.abs(STEPS.length * STEP_MS - 60_000)).toBeLessThan(5_000);
  expect(new Set(STEPS.map(({ caption }) => caption)).size).toBe(STEPS.length);
});
