// Slow: each kind of challenge plays a scenario against a bot, and some wait for real time.
import { expect, it } from "vitest";
import { keysOf } from "../../src/kernel/objects.js";
import { elapsedSince, monotonicNow } from "../../src/kernel/realtime.js";
import { play, UNKNOWN_PACE } from "../../src/lab/challenge/play.js";
import { CHALLENGES, challengesFor } from "../../src/lab/challenge/table.js";
import { readScenario } from "../../src/scenarios/read.js";
import { scenarioFormat } from "../../src/server/scenario-format.js";
import { run } from "../cli/terminal.js";
import { scratch } from "../scenarios/support.js";
import { startSimulator } from "../support/simulator.js";
import { CONVERSATION } from "./bot.js";
import {
  botWith,
  broken,
  challengeProgram,
  HELLO,
  HI,
  kindsIn,
  only,
  program,
  programOptions,
  REPEATER,
  SEND,
} from "./support.js";

it("finds no break in a correct bot, with every kind of challenge", { timeout: 300_000 }, async () => {
  // A few values of behaviour entries stand for all.
  const kinds = keysOf(CHALLENGES).filter((kind) => kind !== "behaviour" && kind !== "slow");
  const few = ["slow/getWhatsappTemplates", "behaviour/timestamps*", "behaviour/sendMessage*"];
  const { code, report } = await (await botWith({})).challenged(...only(...kinds, ...few));
  expect(broken(report)).toEqual([]);
  expect(code).toBe(0);
  expect(kindsIn(report)).toEqual(keysOf(CHALLENGES).sort());
});

const GREETER = program(`for (let left = 3, status = 503; status === 503 && left > 0; left -= 1)
    ({ status } = await call("${SEND}", { text: "Hello" }));`);

it("gives the program each file's token, and continues after a scenario that fails unchanged", async () => {
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
      "✓ Paris: 1 challenge: 1 passed",
      "✗ Rude: fails unchanged",
      "✓ Lyon: 1 challenge: 1 passed",
      "2 challenges: 2 passed; 1 scenario fails unchanged",
      "",
    ].join("\n"),
  );
  expect(err).toContain('the reply should be "Bye"');
  expect(code).toBe(1);
});

it("does not wait for a program that has exited", async () => {
  const { url } = await startSimulator();
  const { scenario } = await readScenario(scenarioFormat(), `thread: "9001"\nsteps:\n${HI}${HELLO}`);
  const system = {
    ended: () => ({ how: "exit code 1", output: [] }),
    exited: () => Promise.resolve({ message: "it exited" }),
    restart: async () => {},
  };
  const stage = { target: { url, sandbox: "default" }, connect: async () => {}, system };
  const started = monotonicNow();
  const { report } = await play(scenario!, {}, stage, { ...UNKNOWN_PACE, quietMs: 30_000 });
  expect(elapsedSince(started, 0)).toBeLessThan(10_000);
  expect(report).toMatchObject({ ok: false });
});

it("challenges calls that the journal no longer holds", async () => {
  const { url } = await startSimulator({ journalLimit: 1 });
  const file = scratch()("talk.yaml", `thread: "9001"\nsteps:\n${HI}  - expect: { idle: true }\n`);
  const words = ["--url", url, ...(await programOptions(program(REPEATER))), "--reporter", "json"];
  const { out } = await run(["challenge", file, ...words, ...only("unavailable")]);
  expect(JSON.parse(out)).toMatchObject({ challenges: [{ held: true }, { held: true }], notTried: [] });
});

it("gives the reason why a challenge was not tried, and what would make it apply", async () => {
  const source = CONVERSATION.replace("  - customer: Who am I?\n", "")
    .replace("My name is Ann", "Who am I?")
    .replace("are Ann", "are unknown to me");
  const bot = await botWith({ mistake: "swapped", source });
  const { report } = await bot.challenged(...only("swapped", "duplicated", "ids-*", "behaviour/limits*"));
  const reasons = new Map(report.notTried.map(({ name, reason }) => [name, reason]));
  expect(reasons.get("swapped/message.customer")).toContain("two `customer` steps in a row");
  const names = report.challenges.map(({ name }) => name);
  expect(names).toContain("duplicated/message.customer");
  expect(names.filter((name) => reasons.has(name))).toEqual([]);
});

it("does not try forged deliveries where deliveries are not signed", async () => {
  const greet = `await call("${SEND}", { text: "Hello" });`;
  const report = await challengeProgram(greet, HI + HELLO, "bad-signature", "unknown-fields");
  expect(report.challenges.map(({ name, held }) => [name, held])).toEqual([
    ["unknown-fields/message.customer", true],
    ["unknown-fields/message.business", true],
  ]);
  const reason = "has no effect: deliveries are not signed (behaviour delivery.signature is null)";
  expect(report.notTried).toMatchObject([
    { name: "bad-signature/message.customer", reason },
    { name: "bad-signature/message.business", reason },
  ]);
});

it("keeps every change that it makes to a payload", () => {
  const leaves = (value: unknown): unknown[] =>
    typeof value === "object" && value !== null ? Object.values(value).flatMap(leaves) : [value];
  for (const legacy of [true, false]) {
    const events = [{ name: "", match: {}, event: "message", isOwn: true, isSigned: true, legacy } as const];
    const some = { operations: [], keys: [], usesTemplates: false, answersTransfers: false };
    const all = challengesFor({ ...some, events });
    const effects = all.map(({ fault }) => fault?.then).filter((then) => typeof then === "object");
    expect(effects.length).toBeGreaterThan(1);
    for (const { copy, payload } of effects) if (!copy) expect(leaves(payload)).not.toContain(null);
  }
});
