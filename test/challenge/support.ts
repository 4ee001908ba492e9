/** Challenges the bot as a user does. */
import type { ChallengeReport, ChallengeResult } from "../../src/lab/challenge/report.js";
import { run } from "../cli/terminal.js";
import { scratch } from "../scenarios/support.js";
import { startSimulator } from "../support/simulator.js";
import type { Mistake, Variant } from "./bot.js";
import { startBot, WITH_TEMPLATE } from "./bot.js";

interface Challenged {
  readonly mistake?: Mistake;
  readonly variant?: Variant;
  readonly source?: string;
  readonly words?: readonly string[];
}

export async function challengeBot({
  mistake,
  variant,
  source = WITH_TEMPLATE,
  words = [],
}: Challenged): Promise<{ code: number; report: ChallengeReport; err: string }> {
  const sim = await startSimulator();
  const hook = await startBot(() => sim.url, mistake, "acme-token", variant);
  const file = scratch()("conversation.yaml", source);
  const base = ["challenge", file, "--url", sim.url, "--hook", hook, "--reporter", "json"];
  const { code, out, err } = await run([...base, ...words]);
  return { code, report: JSON.parse(out), err };
}

export const broken = ({ challenges }: ChallengeReport): ChallengeResult[] =>
  challenges.filter(({ held }) => !held);

/** The kinds of what was tried. */
export const kindsIn = ({ challenges }: ChallengeReport): string[] =>
  [...new Set(challenges.map(({ name }) => name.split("/")[0] ?? ""))].sort();
