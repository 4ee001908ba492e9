import { expect, it } from "vitest";
import { keysOf } from "../../src/kernel/objects.js";
import { CHALLENGES } from "../../src/lab/challenge/table.js";
import { CONVERSATION, LEGACY, MISTAKES } from "./bot.js";
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

it.each(keysOf(CHALLENGES))("%s finds its mistake", { timeout: 300_000 }, async (kind) => {
  expect(MISTAKES[kind]).not.toBe("");
  // A closed window hides messages that are sent twice.
  const source = /^(templates|lost)/.test(kind) ? {} : { source: CONVERSATION };
  const { code, report } = await (await botWith({ mistake: kind, ...source })).challenged(...only(kind));
  const found = broken(report);
  expect(found.map(({ name }) => name.split("/")[0])).toContain(kind);
  expect(code).toBe(1);
  for (const { message, broke, about, why, remedy, place } of found) {
    expect([message, broke]).not.toContain("");
    expect(place).toMatchObject({ line: expect.any(Number) });
    expect([about, why, remedy].every((text) => text.length > 20)).toBe(true);
  }
});
