/** Random settings of all entries that can be seen from outside. */
import { expect, test } from "vitest";
import { outcomesOf } from "./random-settings.js";

const SEEDS = Number(process.env.CALIBRATE_SEEDS ?? 20);

test(`of ${SEEDS} random settings nine tenths are found, and no value is wrong`, {
  timeout: 60_000 * SEEDS,
}, async () => {
  const { wrong, share, missed } = await outcomesOf(Array.from({ length: SEEDS }, (_, index) => index + 1));
  expect(wrong).toEqual([]);
  expect(share, missed.join("\n")).toBeGreaterThan(0.9);
});
