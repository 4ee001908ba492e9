import { expect, it } from "vitest";
import { CHALLENGE_KINDS } from "../../src/challenge/kinds.js";
import type { ChallengeReport } from "../../src/challenge/report.js";
import { keysOf } from "../../src/kernel/keys.js";
import { run } from "../cli/terminal.js";
import { scratch } from "../scenarios/support.js";
import { startSimulator } from "../support/simulator.js";
import { CONVERSATION, MISTAKES, startBot } from "./bot.js";

it.each(keysOf(CHALLENGE_KINDS))(
  "%s finds the mistake that it is meant for",
  { timeout: 120_000 },
  async (kind) => {
    expect(MISTAKES[kind]).not.toBe("");
    const sim = await startSimulator();
    const hook = await startBot(() => sim.url, kind);
    const words = ["--url", sim.url, "--hook", hook, "--reporter", "json", "--only", kind];
    const { code, out } = await run(["challenge", scratch()("conversation.yaml", CONVERSATION), ...words]);
    const found = (JSON.parse(out) as ChallengeReport).challenges.filter(({ held }) => !held);
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
