/** `run` with programs that are wrong in one way each: it fails, and says why in its first line. With sound ones it passes. */
import pLimit from "p-limit";
import { expect, it } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { type Case, sound, WRONG } from "./lies.js";
import { byRun, expectedOf } from "./runners.js";

const limit = pLimit(8);

it("fails each of fifteen wrong programs for what is wrong, and no sound one", async () => {
  const { url, control } = await startSimulator({ allowOutbound: ["127.0.0.1"] });
  await control("PUT /sandboxes/other");
  const optionsFor = ({ name }: Case): string[] => {
    // With a simulator of its own, the built-in token is right.
    if (name === "uses-the-token-of-another-sandbox") return ["--url", url, "--sandbox", "other"];
    return name === "listens-nowhere" ? ["--within", "1s"] : [];
  };
  const run = (bot: Case) => limit(async () => ({ ...bot, ...(await byRun(bot, optionsFor(bot))) }));
  const bots = [...WRONG.map((lie) => ({ ...lie, cause: lie.ofRun ?? lie.cause })), ...sound(1)];
  const ran = await Promise.all(bots.map(run));
  expect(Object.fromEntries(ran.map(({ name, outcome }) => [name, outcome]))).toEqual(expectedOf(bots));
  const ended = ran.filter(({ name }) => name.startsWith("ends-at"));
  expect(ended.map(({ output }) => output)).toEqual([
    expect.stringContaining("Error: BOT_SECRET is not set"),
    expect.stringContaining("Error: no handler for "),
  ]);
});
