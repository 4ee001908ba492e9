import { expect, it } from "vitest";
import { CHALLENGE_KINDS } from "../../src/challenge/kinds.js";
import { keysOf } from "../../src/kernel/keys.js";
import { broken, challengeBot, kindsIn } from "./support.js";

it("breaks a bot that is right nowhere, with every kind of challenge", { timeout: 120_000 }, async () => {
  // Of the many values of behaviour entries a few stand for all.
  const kinds = keysOf(CHALLENGE_KINDS).filter((kind) => kind !== "behaviour" && kind !== "slow");
  const only = [...kinds, "slow/getWhatsappTemplates", "behaviour/timestamps*", "behaviour/sendMessage*"];
  const { code, report } = await challengeBot({ words: only.flatMap((name) => ["--only", name]) });
  expect(broken(report)).toEqual([]);
  expect(code).toBe(0);
  expect(kindsIn(report)).toEqual(keysOf(CHALLENGE_KINDS).sort());
  expect(report.causes).toEqual([]);
});

it.each([
  ["rate-limited", "a call was repeated before the time of Retry-After was over"],
  ["templates-renamed", "a reply did not come"],
  ["templates-empty", "without templates, a call was refused"],
  ["lost", "a reply did not come"],
] as const)("%s finds the mistake that it is meant for: %s", async (kind, broke) => {
  const { report } = await challengeBot({ mistake: kind, words: ["--only", kind] });
  expect(report.causes).toMatchObject([{ kind, broke }]);
});
