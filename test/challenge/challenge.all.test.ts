import { expect, it } from "vitest";
import { keysOf } from "../../src/kernel/objects.js";
import { CHALLENGES } from "../../src/lab/challenge/table.js";
import { LEGACY } from "./bot.js";
import { botWith, broken, kindsIn, only } from "./support.js";

it.each([
  [
    "behind a legacy webhook, which gets each event once",
    { variant: { isLegacy: true }, source: LEGACY },
    ["duplicated", "sent-again", "unknown-event"],
  ],
  [
    "that goes by webhook-id and takes documented types only",
    { variant: { byDelivery: true, isStrict: true } },
    [],
  ],
] as const)(
  "finds no break in a correct bot %s",
  { timeout: 300_000 },
  async (_, bot, missing: readonly string[]) => {
    const { code, report } = await (await botWith(bot)).challenged();
    expect(broken(report)).toEqual([]);
    expect(code).toBe(0);
    const kinds = keysOf(CHALLENGES).filter((kind) => !missing.includes(kind));
    expect(kindsIn(report)).toEqual(kinds.sort());
  },
);

it("finds a bot that waits for the event of its own message, which is lost", async () => {
  const { code, report } = await (await botWith({ mistake: "lost" })).challenged(...only("lost"));
  expect([code, kindsIn({ ...report, challenges: broken(report) })]).toEqual([1, ["lost"]]);
});
