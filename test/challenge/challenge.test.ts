import { expect, it } from "vitest";
import { CHALLENGE_KINDS } from "../../src/challenge/kinds.js";
import type { ChallengeReport, ChallengeResult } from "../../src/challenge/report.js";
import { keysOf } from "../../src/kernel/keys.js";
import { run } from "../cli/terminal.js";
import { scratch } from "../scenarios/support.js";
import { startSimulator } from "../support/simulator.js";
import type { Mistake } from "./bot.js";
import { CONVERSATION, MISTAKES, startBot } from "./bot.js";

/** Challenges a bot as a user does. */
async function challenge(
  mistake: Mistake | undefined,
  words: string[] = [],
  source = CONVERSATION,
): Promise<{ code: number; report: ChallengeReport; err: string }> {
  const sim = await startSimulator();
  const hook = await startBot(() => sim.url, mistake);
  const file = scratch()("conversation.yaml", source);
  const { code, out, err } = await run([
    "challenge",
    file,
    "--url",
    sim.url,
    "--hook",
    hook,
    "--reporter",
    "json",
    ...words,
  ]);
  return { code, report: JSON.parse(out), err };
}

const broken = ({ challenges }: ChallengeReport): ChallengeResult[] => challenges.filter(({ held }) => !held);

it("breaks a bot that is right nowhere", { timeout: 120_000 }, async () => {
  const { code, report } = await challenge(undefined);
  expect(broken(report)).toEqual([]);
  expect(code).toBe(0);
  const kinds = new Set(report.challenges.map(({ name }) => name.split("/")[0]));
  expect([...kinds].sort()).toEqual(keysOf(CHALLENGE_KINDS).sort());
});

it.each(keysOf(CHALLENGE_KINDS))(
  "%s finds the mistake that it is meant for",
  { timeout: 120_000 },
  async (kind) => {
    expect(MISTAKES[kind]).not.toBe("");
    const { code, report } = await challenge(kind, ["--only", kind]);
    const found = broken(report);
    expect(found.map(({ name }) => name.split("/")[0])).toContain(kind);
    expect(code).toBe(1);
    for (const { message, about, why, remedy, place, repeat } of found) {
      expect(message).not.toBe("");
      expect(place).toMatchObject({ line: expect.any(Number) });
      expect([about, why, remedy].every((text) => text.length > 20)).toBe(true);
      expect(repeat).toContain(`--only '${kind}`);
    }
  },
);
