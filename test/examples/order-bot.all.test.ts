/** The two order bots: both pass their conversations. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { keysOf } from "../../src/kernel/objects.js";
import type { ChallengeReport } from "../../src/lab/challenge/report.js";
import { CHALLENGES } from "../../src/lab/challenge/table.js";
import type { Report } from "../../src/scenarios/report.js";
import { start } from "../cli/program.js";
import { filesFor } from "../support/folder.js";
import { freePort } from "../support/free-port.js";
import { copyOf } from "./recipes.js";

const ROOT = join(import.meta.dirname, "..", "..");
const EXAMPLE = join(ROOT, "examples", "order-bot");
const CONVERSATIONS = join(EXAMPLE, "conversations");

/** Runs a command of messaging-sim against a bot; what it printed as JSON. */
async function against<Printed>(bot: string, code: number, words: readonly string[]): Promise<Printed> {
  const port = String(await freePort());
  const hook = [
    "--hook",
    `http://127.0.0.1:${port}`,
    "--exec",
    `${process.execPath} ${resolve(EXAMPLE, bot)}`,
  ];
  const { exited, stdout, stderr } = start([...words, ...hook, "--reporter", "json"], { PORT: port });
  expect(await exited, stdout() + stderr()).toBe(code);
  return JSON.parse(stdout()) as Printed;
}

/** Runs files against a bot. */
const run = async (bot: string, files: readonly string[], code = 0) =>
  (await against<{ scenarios: Report[] }>(bot, code, ["run", ...files])).scenarios;

it.each(["bot.js", "mended.js"])("%s passes all conversations", async (bot) => {
  const files = readdirSync(CONVERSATIONS).map((name) => join(CONVERSATIONS, name));
  const scenarios = await run(bot, files);
  expect(scenarios.map(({ ok }) => ok)).toEqual(files.map(() => true));
  // Mended, it goes beyond nothing that the specification promises.
  if (bot === "mended.js") expect(scenarios.flatMap(({ warnings = [] }) => warnings)).toEqual([]);
});

it("a mended bot that does not hear colleagues fails where it must keep quiet", async () => {
  const folder = copyOf("order-bot");
  const edit = (file: string, from: string, to: string) => {
    const text = readFileSync(join(folder, file), "utf8");
    expect(text).toContain(from);
    writeFileSync(join(folder, file), text.replace(from, to));
  };
  edit("mended.js", "else if (data.invisible !== true) takenOver.add(thread);", "");
  // A busy machine may take longer for the message that ends the silence.
  const asked = "customer: Will it take long?\n  - silent:";
  edit("conversations/colleagues.yaml", `${asked} 80ms`, `${asked} 20s`);
  const [report] = await run(join(folder, "mended.js"), [join(folder, "conversations/colleagues.yaml")], 1);
  expect(report?.cause).toMatch(
    /^Expected no visible message in thread 9002 for 20s, but this arrived: "\[bot\] /,
  );
});

describe("an event of a type that nobody knows, like a message of the bot but without fromCustomer", () => {
  const file = filesFor("order-bot");
  const then = { copy: true, payload: { eventType: "undocumented", data: { fromCustomer: null } } };
  const match = { body: { data: { fromCustomer: false } } };
  const scenario = {
    name: "Unknown",
    fixtures: JSON.parse(readFileSync(join(EXAMPLE, "shop.json"), "utf8")),
    behaviour: { "delivery.signature": { scheme: "standard-webhooks", secrets: ["order-bot-secret"] } },
    token: "shop-token",
    thread: "9001",
    steps: [
      { fault: { on: "delivery", times: 1, match, then } },
      { customer: "Where is order 4711?" },
      { reply: { contains: "on its way" } },
      { delivered: { eventType: "message", ...match } },
      { customer: "Thanks!" },
      { reply: { contains: "welcome" } },
    ],
  };

  it.each([
    ["bot.js", 1],
    ["mended.js", 0],
  ])("%s ends with exit code %i", async (bot, code) => {
    const [report] = await run(bot, [file("unknown.json", JSON.stringify(scenario))], code);
    expect(report?.steps.findLast(({ skipped }) => !skipped)).toMatchObject(
      code === 0 ? { ok: true } : { ok: false, seen: "[bot] Ada, order 4711 is on its way." },
    );
  });
});

it.each(readdirSync(EXAMPLE).filter((name) => name.endsWith(".js")))(
  "%s is short enough to be read",
  (name) => expect(readFileSync(join(EXAMPLE, name), "utf8").split("\n").length).toBeLessThanOrEqual(150),
);

/** What finds the mistakes of `bot.js`, as its page says: names of challenges, or of kinds of them. */
const FINDERS = readFileSync(join(EXAMPLE, "README.md"), "utf8")
  .split("\n")
  .filter((line) => /^\| \d+\. /.test(line))
  .flatMap((line) => [...(line.split("|").at(-2) ?? "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));

const ofMessage = (kind: string) => `${kind}/message.customer`;
const kindsOf = (names: readonly string[]) => [...new Set(names.map((name) => name.split("/")[0]))].sort();

/** What is tried with it: one challenge for each of those, in a conversation in which it finds something. */
const TRIED = {
  "order.yaml": [
    ...FINDERS.filter((name) => /^behaviour\/(?!window|profile)/.test(name)),
    ...["unavailable", "rate-limited", "hang-up-before", "hang-up-after", "slow", "malformed"].map(
      (kind) => `${kind}/getCustomerProfile`,
    ),
    ...["duplicated", "sent-again", "unknown-fields", "unknown-event", "bad-signature"].map(ofMessage),
    ...["ids-32", "ids-53"],
  ],
  "colleagues.yaml": FINDERS.filter((name) => name.startsWith("behaviour/profile")),
  "window.yaml": [
    ...["behaviour/window.duration=24h", "templates-renamed"],
    ...["swapped", "late"].map((kind) => `${kind}/transfer`),
  ],
};

describe("challenges", () => {
  it("break mended.js nowhere", { timeout: 300_000 }, async () => {
    const tried: string[] = [];
    for (const file of readdirSync(CONVERSATIONS).toReversed()) {
      // What held in one conversation is not tried in the next.
      const skipped = tried.flatMap((name) => ["--skip", name]);
      const words = ["challenge", join(CONVERSATIONS, file), ...skipped];
      const { challenges } = await against<ChallengeReport>("mended.js", 0, words);
      expect(challenges.filter(({ held }) => !held).map(({ name }) => name)).toEqual([]);
      tried.push(...challenges.map(({ name }) => name));
    }
    expect(tried.length).toBeGreaterThan(60);
    expect(kindsOf(tried)).toEqual(keysOf(CHALLENGES).sort());
  });

  it("find each mistake of bot.js, by the name that its page says", { timeout: 300_000 }, async () => {
    const broken: ChallengeReport["challenges"][number][] = [];
    for (const [file, names] of Object.entries(TRIED)) {
      const words = ["challenge", join(CONVERSATIONS, file), ...names.flatMap((name) => ["--only", name])];
      const { challenges } = await against<ChallengeReport>("bot.js", 1, words);
      broken.push(...challenges.filter(({ held }) => !held));
    }
    expect(FINDERS.length).toBeGreaterThan(20);
    const names = broken.map(({ name }) => name);
    const found = names.map((name) => `${name}/`);
    expect(FINDERS.filter((finder) => !found.some((name) => name.startsWith(`${finder}/`)))).toEqual([]);
    for (const { message, about, why, remedy, place } of broken) {
      expect(message).toBeTruthy();
      expect(place).toMatchObject({ line: expect.any(Number) });
      expect([about, why, remedy].every((text) => text.length > 20)).toBe(true);
    }
    // It waits for no event of its own.
    expect([...kindsOf(names), "lost"].sort()).toEqual(keysOf(CHALLENGES).sort());
  });
});
