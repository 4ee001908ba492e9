// Slow: bots that take their time, each played against several challenges.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { ChallengeReport } from "../../src/lab/challenge/report.js";
import { run } from "../cli/terminal.js";
import { scratch } from "../scenarios/support.js";
import { CONVERSATION } from "./bot.js";
import {
  botWith,
  broken,
  challengeProgram,
  HELLO,
  HI,
  only,
  program,
  programOptions,
  REPEATER,
  SEND,
} from "./support.js";

it("waits for a call to be repeated, and blames the right challenge", async () => {
  const names = ["unavailable", "hang-up-*", "duplicated/message.business"];
  const report = await challengeProgram(REPEATER, HI + HELLO, ...names);
  expect(report.challenges).toHaveLength(7);
  expect(broken(report).map(({ name }) => name)).toEqual(["hang-up-after/sendMessageToCustomerThread"]);
});

/** Answers at once, and closes the conversation later. */
const CLOSER = `if (seen.has(data.messageId)) return;
  seen.add(data.messageId);
  const isDone = async (...it) => {
    const { ok, status } = await call(...it).catch(() => ({}));
    if (status === 429) await setTimeout(1020);
    return ok;
  };
  while (!(await isDone("${SEND}", { text: "Hello" })));
  await setTimeout(120);
  while (!(await isDone("update-thread-status", { status: "resolved" })));`;

it("does not blame a program for what it does after its last reply", async () => {
  const names = ["rate-limited", "slow", "unknown-fields", "lost", "ids-32"];
  const report = await challengeProgram(CLOSER, HI + HELLO + HI + HELLO, ...names);
  expect(report.challenges.length).toBeGreaterThan(6);
  expect(broken(report)).toEqual([]);
});

it("notices a second reply that comes late", async () => {
  const paced = `while (Date.now() < newest) await setTimeout(10);
  newest = Date.now() + 60;
  await call("${SEND}", { text: "Hello" });`;
  const report = await challengeProgram(paced, HI + HELLO, "duplicated/message.customer");
  expect(broken(report)).toMatchObject([{ message: expect.stringContaining("messages by the business: ") }]);
});

it("swaps two consecutive customer messages, however fast the program replies", async () => {
  const forward = `if (data.messageId < newest) return;
  newest = data.messageId;
  await call("${SEND}", { text: "Hello" });`;
  const steps = HI + HELLO + HI + HI + HELLO + HELLO;
  const report = await challengeProgram(forward, steps, "swapped/message.customer");
  expect(broken(report)).toMatchObject([{ step: expect.stringContaining("reply") }]);
});

it("challenge respects survives and tolerates", async () => {
  const tolerant = await botWith({
    mistake: "duplicated",
    source: `${CONVERSATION}tolerates: ["duplicated/*"]\n`,
  });
  const tolerated = await tolerant.challenged(...only("duplicated", "unavailable"));
  expect(tolerated.code).toBe(0);
  expect(tolerated.report.challenges[1]).toMatchObject({ held: false, verdict: "tolerated" });

  const survives = "survives: [duplicated]\n";
  const strict = await botWith({ mistake: "duplicated", source: CONVERSATION + survives });
  const skipped = ["behaviour", "slow", "late", "sent-again", "*signature", "ids*"];
  const known = { name: "duplicated/message.customer", scenario: "A name is told" };
  const accepted = strict.write("accepted.json", JSON.stringify({ accepted: [known] }));
  const skip = skipped.flatMap((name) => ["--skip", name]);
  const survived = await strict.challenged(...skip, "--accept", accepted, "--update");
  expect(survived.code).toBe(1);
  expect(JSON.parse(readFileSync(accepted, "utf8"))).toEqual({ accepted: [] });
  const { challenges, notTried } = survived.report;
  expect(challenges.filter(({ held }) => !held)).toMatchObject([
    { name: "duplicated/message.customer", verdict: "broke" },
  ]);
  expect(notTried.filter(({ reason }) => reason === "--skip").length).toBeGreaterThan(15);
});

it.each([
  ["at once", 0],
  ["in the middle of the next one", 300],
])("finds the challenge that ends a process %s, and continues with a new one", async (_, lateMs) => {
  const talk = 'thread: "9001"\nsteps:\n  - customer: Hi\n  - reply: Hello\n';
  const words = ["challenge", scratch()("greeting.yaml", talk), "--reporter", "json"];
  const bot = await programOptions(FRAGILE, lateMs);
  const { code, out } = await run([...words, ...bot, ...only("malformed", "duplicated")]);
  expect(code).toBe(1);
  const { challenges } = JSON.parse(out) as ChallengeReport;
  expect(challenges.map(({ name, held, message }) => [name, held, message])).toEqual([
    ["malformed/sendMessageToCustomerThread", false, "your program exited: exit code 1"],
    ["duplicated/message.customer", false, expect.stringContaining("left a different state")],
    ["duplicated/message.business", true, undefined],
  ]);
});

/** Notes each start in a file, and exits if a connection breaks. */
const COUNTED = `import { appendFileSync } from "node:fs";
appendFileSync(process.argv[3], "started\\n");
${program(`await call("${SEND}", { text: "Hello" });`)}`;

it("starts a process once after each challenge that ends it, if none came before on that process", async () => {
  const write = scratch();
  const starts = write("starts.txt", "");
  const talk = write("greeting.yaml", `thread: "9001"\nsteps:\n${HI}${HELLO}`);
  const bot = await programOptions(COUNTED, starts);
  const { out } = await run(["challenge", talk, ...bot, "--reporter", "json", ...only("hang-up-*")]);
  expect(broken(JSON.parse(out)).map(({ message }) => message)).toEqual(
    Array(2).fill("your program exited: exit code 1"),
  );
  expect(readFileSync(starts, "utf8")).toBe("started\n".repeat(3));
});

/** Exits if an answer is not JSON. */
const FRAGILE = program(`const answer = await call("${SEND}", { text: "Hello" });
  await answer.json().catch(() => setTimeout(Number(process.argv[3])).then(() => process.exit(1)));`);
