/** Sixty services with random secret settings: what probes find of them. */
import { expect, test } from "vitest";
import { outcomeOf } from "./random-settings.js";

const SETTINGS = 60;

test(`over ${SETTINGS} settings, probes that write observe 85 % of the changed entries, and no wrong value`, {
  timeout: 60_000 * SETTINGS,
}, async () => {
  const missed: string[] = [];
  let changed = 0;
  for (let seed = 1; seed <= SETTINGS; seed += 1) {
    const outcome = await outcomeOf(seed, true);
    expect(outcome, `seed ${seed}`).toMatchObject({ wrong: [], contradictions: [] });
    missed.push(...outcome.missed);
    changed += outcome.changed.length;
  }
  expect(1 - missed.length / changed, missed.join(", ")).toBeGreaterThan(0.85);
});

test(`over ${SETTINGS} settings, probes that only read observe all that they claim`, {
  timeout: 60_000 * SETTINGS,
}, async () => {
  for (let seed = 101; seed <= 100 + SETTINGS; seed += 1)
    expect(await outcomeOf(seed, false), `seed ${seed}`).toMatchObject({
      ...{ untold: [], wrong: [], contradictions: [] },
    });
});
