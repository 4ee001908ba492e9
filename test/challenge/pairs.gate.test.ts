import { expect, it } from "vitest";
import { membersOf, pairsOf } from "../../src/lab/challenge/derive.js";
import type { Challenge } from "../../src/lab/challenge/kinds.js";
import { UNCHANGED } from "../../src/lab/challenge/kinds.js";
import { CONVERSATION } from "./bot.js";
import { botWith, only } from "./support.js";

const onOperation = (kind: "slow" | "malformed", operation: string): Challenge => ({
  ...UNCHANGED,
  ...{ name: `${kind}/${operation}`, kind, about: kind, ...(kind === "slow" && { patienceMs: 600 }) },
  faults: [{ on: "request", match: { operation }, times: 1, then: { delayMs: 1 } }],
});
const onEvent = (
  kind: "duplicated" | "lost" | "unknown-event" | "bad-signature",
  event: string,
): Challenge => ({
  ...UNCHANGED,
  ...{ name: `${kind}/${event}`, kind, about: kind },
  faults: [{ on: "delivery", then: { duplicate: 1 } }],
  ...(kind !== "duplicated" && { copy: "a refusal" }),
});
const turns = new Map([
  ["a", new Set([1])],
  ["e", new Set([1, 2])],
  ["f", new Set([2])],
]);
const names = (challenges: readonly { readonly name: string }[]) => challenges.map(({ name }) => name);

it("two challenges at once do not take both the answer and the event of a message", () => {
  const { pairs, notTried } = pairsOf([onOperation("malformed", "a"), onEvent("lost", "e")], turns);
  expect(pairs).toEqual([]);
  expect([...notTried.keys()]).toEqual(["only the lost event shows whether the call took effect"]);
});

it("two challenges at once are not tried where they cannot both happen", () => {
  const behaviour: Challenge = { ...UNCHANGED, name: "behaviour/x=y", kind: "behaviour", about: "x" };
  const { pairs, notTried } = pairsOf(
    [
      ...[behaviour, onOperation("slow", "a"), onEvent("duplicated", "e")],
      ...[onEvent("bad-signature", "e"), onEvent("unknown-event", "f")],
    ],
    turns,
  );
  expect(names(pairs)).toEqual([
    "slow/a + duplicated/e",
    "slow/a + bad-signature/e",
    "duplicated/e + unknown-event/f",
  ]);
  expect(pairs[0]).toMatchObject({ faults: [{}, {}], patienceMs: 600 });
  expect(Object.fromEntries(notTried)).toEqual({
    "it is unknown which turn one of them affects": 4,
    "they affect different turns": 1,
    "a delivery can have only one fault": 1,
    "both send copies of deliveries": 1,
  });
  expect(names(membersOf("duplicated/e + slow/a", [onEvent("duplicated", "e")]))).toEqual(["duplicated/e"]);
});

it("two challenges at once are run after the others, and can be repeated by their name", {
  timeout: 60_000,
}, async () => {
  const { challenged } = await botWith({ source: CONVERSATION });
  const { code, report } = await challenged(...only("unavailable", "duplicated", "swapped"), "--pairs");
  expect(code).toBe(0);
  // The six challenges themselves come first.
  expect(names(report.challenges).slice(6)).toEqual([
    "unavailable/sendMessageToCustomerThread + duplicated/message.customer",
    "unavailable/sendMessageToCustomerThread + duplicated/message.business",
    "unavailable/sendMessageToCustomerThread + swapped/message.customer",
    "unavailable/sendMessageToCustomerThread + swapped/message.business",
    "duplicated/message.customer + duplicated/message.business",
    "duplicated/message.customer + swapped/message.business",
    "duplicated/message.business + swapped/message.customer",
  ]);
  expect(report.notTried.map(({ name, reason }) => `${name}: ${reason}`)).toEqual([
    expect.stringMatching(/^swapped\/transfer: no other event comes right after it/),
    "5 pairs: they affect different turns",
    "2 pairs: a delivery can have only one fault",
    "1 pairs: both hold deliveries",
  ]);
  const [name = ""] = names(report.challenges).slice(-1);
  const again = await challenged(...only(name));
  expect(names(again.report.challenges)).toEqual([name]);
});
