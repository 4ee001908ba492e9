// Slow: each kind of challenge plays a scenario against a bot, and some wait for real time.
import { expect, it } from "vitest";
import { keysOf } from "../../src/kernel/objects.js";
import type { ChallengeKind } from "../../src/lab/challenge/kinds.js";
import { CHALLENGE_KINDS } from "../../src/lab/challenge/kinds.js";
import type { ChallengeReport } from "../../src/lab/challenge/report.js";
import { run } from "../cli/terminal.js";
import { scratch } from "../scenarios/support.js";
import { CONVERSATION } from "./bot.js";
import { botWith, broken, kindsIn, only, program, programOptions, SEND } from "./support.js";

it("breaks a bot that is right nowhere, with every kind of challenge", { timeout: 300_000 }, async () => {
  // Of the many values of behaviour entries a few stand for all.
  const kinds = keysOf(CHALLENGE_KINDS).filter((kind) => kind !== "behaviour" && kind !== "slow");
  const few = ["slow/getWhatsappTemplates", "behaviour/timestamps*", "behaviour/sendMessage*"];
  const { code, report } = await (await botWith({})).challenged(...only(...kinds, ...few));
  expect(broken(report)).toEqual([]);
  expect(code).toBe(0);
  expect(kindsIn(report)).toEqual(keysOf(CHALLENGE_KINDS).sort());
  expect(report.causes).toEqual([]);
});

it.each([
  ["rate-limited", "a call was repeated before Retry-After had passed"],
  ["templates-renamed", "no reply came"],
  ["templates-empty", "without templates, a call was refused"],
  ["lost", "no reply came"],
] as const)("%s finds the mistake that it is meant for: %s", async (kind, broke) => {
  const { report } = await (await botWith({ mistake: kind })).challenged(...only(kind));
  expect(report.causes).toMatchObject([{ kind, broke }]);
});

/** Challenges a program that handles what a customer writes. */
async function challengeProgram(handle: string, steps: string, ...names: string[]): Promise<ChallengeReport> {
  const file = scratch()("talk.yaml", `thread: "9001"\nsteps:\n${steps}`);
  const bot = await programOptions(program(handle));
  return JSON.parse((await run(["challenge", file, ...bot, "--reporter", "json", ...only(...names)])).out);
}

const HI = "  - customer: Hi\n";
const HELLO = "  - reply: { contains: Hello }\n";
const GREETER = program(`for (let left = 3, status = 503; status === 503 && left > 0; left -= 1)
    ({ status } = await call("${SEND}", { text: "Hello" }));`);

/** Greets and marks the thread; repeats after a while whatever was not answered with a success. */
const REPEATER = `const isDone = (...it) => call(...it).then(({ ok }) => ok, () => false);
  while (!(await isDone("${SEND}", { text: "Hello" }))) await setTimeout(200);
  while (!(await isDone("update-thread-status", { status: "replied" }))) await setTimeout(200);`;

it("gives the program each file's own token, and goes on where a scenario fails as it is", async () => {
  const write = scratch();
  const talk = (name: string, thread: string, token: string, reply: string) =>
    write(
      `${name}.yaml`,
      `name: ${name}\nthread: "${thread}"\ntoken: ${token}\nsteps:\n  - customer: Hi\n  - reply: ${reply}\n`,
    );
  const files = [
    talk("Paris", "9001", "acme-token", "Hello"),
    talk("Rude", "9001", "acme-token", "Bye"),
    talk("Lyon", "9005", "acme-no-delete", "Hello"),
  ];
  const bot = await programOptions(GREETER);
  const { code, out, err } = await run(["challenge", ...files, ...bot, ...only("unavailable")]);
  expect(out).toBe(
    [
      "✓ Paris: 1 challenge: 1 held",
      "✗ Rude: fails unchanged",
      "✓ Lyon: 1 challenge: 1 held",
      "2 challenges: 2 held; 1 scenario fails unchanged",
      "",
    ].join("\n"),
  );
  expect(err).toContain('the reply should be "Bye"');
  expect(code).toBe(1);
});

it("waits for a call to be repeated, and blames the challenge that made it so", async () => {
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

it("does not blame a program for what it does after its last reply", { timeout: 60_000 }, async () => {
  const names = ["rate-limited", "slow", "unknown-fields", "lost", "ids-beyond-31-bits"];
  const report = await challengeProgram(CLOSER, HI + HELLO + HI + HELLO, ...names);
  expect(report.challenges.length).toBeGreaterThan(6);
  expect(broken(report)).toEqual([]);
});

it("sees a second answer that a program sends only later", async () => {
  const paced = `while (Date.now() < newest) await setTimeout(10);
  newest = Date.now() + 120;
  await call("${SEND}", { text: "Hello" });`;
  const report = await challengeProgram(paced, HI + HELLO, "duplicated/message.customer");
  expect(broken(report)).toMatchObject([{ broke: "different state: more messages by the business" }]);
});

it("compares everything but what differs from one unchanged run to the next, and says what that is", async () => {
  const varied = `await call("customers/" + data.customerId + "/profile/update", { company: "C" + newest });
  await call("${SEND}", { text: "Hello" + "!".repeat(newest++) });`;
  const names = ["duplicated/message.customer", "behaviour/limits.textLength=1600"];
  const report = await challengeProgram(varied, HI + HELLO, ...names);
  expect(broken(report)).toMatchObject([{ broke: "different state: more messages by the business" }]);
  expect(report.notTried.map(({ name }) => name)).toEqual([
    "comparison of customer cust_001: company",
    "behaviour/limits.textLength=1600",
  ]);
});

it("swaps what a customer writes twice in a row, however quickly the program answers", async () => {
  const forward = `if (data.messageId < newest) return;
  newest = data.messageId;
  await call("${SEND}", { text: "Hello" });`;
  const steps = HI + HELLO + HI + HI + HELLO + HELLO;
  const report = await challengeProgram(forward, steps, "swapped/message.customer");
  expect(broken(report)).toMatchObject([{ broke: "no reply came" }]);
});

it("says of what it does not try why, and what would make it apply", async () => {
  const source = CONVERSATION.replace("  - customer: Who am I?\n", "")
    .replace("My name is Ann", "Who am I?")
    .replace("are Ann", "are unknown to me");
  const bot = await botWith({ mistake: "swapped", source });
  const { report } = await bot.challenged(...only("swapped", "twice", "ids-*", "behaviour/limits*"));
  const reasons = new Map(report.notTried.map(({ name, reason }) => [name, reason]));
  expect(reasons.get("swapped/message.customer")).toContain("two `customer` steps in a row");
  expect(reasons.get("behaviour/limits.textLength=1600")).toContain("differed from the unchanged run");
  const names = report.challenges.map(({ name }) => name);
  expect(names).toContain("duplicated/message.customer");
  expect(names.filter((name) => reasons.has(name))).toEqual([]);
});

it("changes with each payload that it sends something that stays in it", () => {
  const subject = { name: "", match: {}, isOwn: true, isOnlyOwn: true, event: "message" } as const;
  const leaves = (value: unknown): unknown[] =>
    typeof value === "object" && value !== null ? Object.values(value).flatMap(leaves) : [value];
  for (const kind of Object.values<ChallengeKind>(CHALLENGE_KINDS)) {
    if (kind.about !== "event" || kind.copy !== undefined) continue;
    for (const legacy of [true, false]) {
      const effect = kind.effect({ ...subject, legacy });
      expect(typeof effect === "object" ? leaves(effect.payload) : []).not.toContain(null);
    }
  }
});
