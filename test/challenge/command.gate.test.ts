// Slow: each report comes from some ten runs of a scenario.
import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { otherValues } from "../../src/lab/challenge/table.js";
import { alternativesOf } from "../../src/service/behaviour/alternatives.js";
import { answerSchema } from "../../src/service/behaviour/entry.js";
import { BEHAVIOUR_KEYS, BEHAVIOUR_TABLE } from "../../src/service/behaviour/table.js";
import { run } from "../cli/terminal.js";
import { CONVERSATION } from "./bot.js";
import { botWith, only, SEND } from "./support.js";

const ONLY = only("duplicated", "unavailable");

/** A bot that remembers each message too late. */
const forgetful = (source = CONVERSATION) => botWith({ mistake: "duplicated", source });

it("challenge describes each break: what broke, where, why, and how to repeat it, with its conversation", async () => {
  const { challenge } = await forgetful();
  const { code, out } = await challenge(...ONLY);
  expect(code).toBe(1);
  expect(out).toContain("✗ A name is told: 4 challenges: 1 failed, 3 passed\n");
  expect(out).toContain("✗ duplicated  1 break in 1 scenario\n");
  expect(out).not.toContain("✓");
  expect(out).toMatch(/ {4}changed {3}message\.customer: each delivery comes twice at the same time\n/);
  expect(out).toContain("again     the same command with --only 'duplicated/message.customer'\n");
  expect(out).toMatch(/(> You are Ann\n[\s\S]*){2}/);
  expect(out).toMatch(/\n4 challenges: 1 failed, 3 passed\n$/);
});

it("challenge reads and updates a file of known breaks", async () => {
  const { challenge, challenged, write } = await forgetful();
  const accepted = write("accepted.json", '{ "accepted": [] }');
  const known = { name: "duplicated/message.customer", scenario: "A name is told" };
  const update = async () => {
    expect((await challenge(...ONLY, "--accept", accepted, "--update")).code).toBe(0);
    return JSON.parse(readFileSync(accepted, "utf8"));
  };
  const judge = (text: string) => {
    writeFileSync(accepted, text);
    return challenge(...ONLY, "--accept", accepted);
  };
  expect(await update()).toEqual({ accepted: [known] });
  const again = await challenged(...ONLY, "--accept", accepted);
  expect(again.code).toBe(0);
  const verdicts = again.report.challenges.map(({ verdict }) => verdict);
  expect(verdicts).toEqual(["held", "accepted", "held", "held"]);
  const scenario = "A name is told";
  const others = [
    { name: "late/transfer", scenario },
    { name: "late/transfer", scenario: "Another" },
  ];
  const mended = { name: "duplicated/transfer", scenario };
  writeFileSync(accepted, JSON.stringify({ accepted: [...others, mended] }));
  expect(await update()).toEqual({ accepted: [known, ...others] });
  const over = await judge(JSON.stringify({ accepted: [mended] }));
  expect(over.code).toBe(1);
  const unusable = await judge('{ "accepted": [{ "name": 1 }] }');
  expect(unusable).toMatchObject({ code: 2, err: expect.stringContaining(`${accepted}:1:`) });
  expect((await challenge("--accept", `${accepted}.missing`)).code).toBe(2);
});

it("challenge refuses unknown challenge names, with their place", async () => {
  const { challenge, file } = await forgetful();
  expect(await challenge("--only", "unavailabel/x")).toMatchObject({
    code: 2,
    err: '--only: unknown challenge "unavailabel": did you mean "unavailable"?\n',
  });
  const words = ["--update", "--within", "5s"];
  const { err } = await run(["challenge", file, ...words]);
  for (const option of ["--hook", "--update", "--within"]) expect(err).toContain(`${option}: `);
});

it("challenge says where no challenge of --only could be tried", async () => {
  const { challenge } = await forgetful();
  expect(await challenge("--only", "swapped/transfer")).toMatchObject({
    code: 1,
    err: "Nothing was tested: no challenge of --only could be tried\n",
  });
});

it("challenge runs no challenges if the unchanged scenario fails", async () => {
  const { challenged } = await forgetful(CONVERSATION.replace("You are Ann", "You are Bob"));
  const { code, report, err } = await challenged();
  expect(code).toBe(1);
  expect(err).toContain('the reply should be "You are Bob"');
  expect(report).toMatchObject({ ok: false, challenges: [] });
});

it("challenge leaves out challenges that reveal nothing about the system under test", async () => {
  const body = '{ customerThreadId: "9001", text: "" }';
  const byHand = `  - { request: POST /api/${SEND}, token: acme-token, body: ${body}, expect: 200 }`;
  const source = CONVERSATION.replace("behaviour:", "behaviour:\n  window.channels: [WHATSAPP]");
  const { challenged } = await forgetful(source.replace('  - transfer: "1002"', byHand));
  const { report } = await challenged(...only("behaviour/messages*", "behaviour/window.channels*"));
  expect(report.notTried.map(({ name, reason }) => `${name}: ${reason}`).sort()).toEqual([
    expect.stringMatching(/^behaviour\/messages.emptyText=reject: a step of the scenario itself relies/),
    "behaviour/window.channels=none: the scenario controls this itself",
  ]);
});

it("challenge reports each challenge as a test case", async () => {
  const { challenge, write } = await forgetful();
  const tap = await challenge(...ONLY, "--reporter", "tap");
  expect(tap.out).toContain("    ok 1 - unavailable/sendMessageToCustomerThread\n");
  expect(tap.out).toContain("    not ok 2 - duplicated/message.customer\n");
  const junit = await challenge(...ONLY, "--reporter", "junit");
  expect(junit.out).toContain('<testcase name="duplicated/message.customer" classname="A name is told"');
  expect(junit.out).toContain('tests="4" failures="1"');
  const twice = await challenge(
    write("same.yaml", CONVERSATION),
    ...only("unavailable"),
    "--reporter",
    "junit",
  );
  expect(twice.out).toContain('<testsuite name="A name is told (2)" tests="1" failures="0"');
});

it("tries other values of each behaviour entry with few of them, and of some others", () => {
  for (const key of BEHAVIOUR_KEYS) {
    const isOpen = alternativesOf(BEHAVIOUR_TABLE[key]) === undefined;
    const isAnswer = BEHAVIOUR_TABLE[key].schema === answerSchema;
    if (!isOpen || isAnswer) expect.soft(Object.keys(otherValues(key)), key).not.toEqual([]);
  }
  expect(otherValues("window.duration")).toEqual({ "24h": "24h" });
});
