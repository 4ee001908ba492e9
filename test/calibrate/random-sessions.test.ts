/** Short random sessions of several keys, with outages, latency, expiring keys and lost bodies: nothing that is said is false. */
import { expect, test } from "vitest";
import { sessionOutcome } from "./random-sessions.js";

const SEEDS = Array.from({ length: 12 }, (_, index) => index + 1);

test(`of ${SEEDS.length} short random sessions nothing is learned, bounded or accused wrongly`, async () => {
  for (const seed of SEEDS) {
    const { settings, wrong } = await sessionOutcome(seed);
    expect(wrong, `session ${seed} with ${JSON.stringify(settings)}`).toEqual([]);
  }
}, 120_000);
