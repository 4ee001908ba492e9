// Slow: programs that end while a run waits for them.
/** `run --exec` starts and stops the system under test; `run --watch` goes on until a signal. */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { program } from "../challenge/support.js";
import { scratch } from "../scenarios/support.js";
import { freePort } from "../support/free-port.js";
import { until } from "../support/until.js";
import { start } from "./program.js";
import { run } from "./terminal.js";

const HI = 'token: acme-token\nthread: "9001"\nsteps:\n  - customer: Hi\n';
const SLEEP = ["--exec", "exec sleep 60"];

/** A bot in a process of its own: it greets customers, and writes down when it is asked to go. */
const BOT = `import { appendFileSync } from "node:fs";
console.log("bot with " + process.env.MESSAGING_SIM_TOKEN);
process.on("SIGTERM", () => { appendFileSync(process.argv[3], "stopped "); process.exit(0); });
${program('await call("send-message-to-customer-thread", { text: "Good morning!" });')}`;

/** A program that takes webhooks, and ends by the first one. */
const CRASHES = `import { createServer } from "node:http";
createServer((request) => {
  console.log("cannot go on");
  process.exit(7);
}).listen(Number(process.argv[2]), "127.0.0.1");`;
const WAITS = 'thread: "9001"\nwithin: 1m\nsteps:\n  - customer: Hello\n';

let write: ReturnType<typeof scratch>;
let hook: string;
beforeEach(async () => {
  write = scratch();
  hook = `http://127.0.0.1:${await freePort()}/hook`;
});

const ran = (words: string[], command = "run") => run([command, ...words], { PATH: process.env.PATH ?? "" });
/** The options that start a program at the port of `hook`, which is its first argument. */
const systemOf = (source: string, ...args: string[]) => {
  const command = [process.execPath, write("bot.mjs", source), new URL(hook).port, ...args];
  return ["--hook", hook, "--exec", `exec ${command.map((word) => JSON.stringify(word)).join(" ")}`];
};

it("starts the system under test for each file, and stops it", async () => {
  const log = write("bot.log", "");
  const stops = () => readFileSync(log, "utf8").trim().split(" ").length;
  const good = write("good.yaml", `${HI}  - reply: Good morning!\n`);
  const bad = write("bad.yaml", `${HI}  - reply: Bye!\n`);
  const system = systemOf(BOT, log);
  expect(await ran([good, ...system])).toMatchObject({ code: 0, err: "" });
  expect(stops()).toBe(1);
  const err = expect.stringContaining("bot with acme-token");
  expect(await ran([bad, good, ...system])).toMatchObject({ code: 1, err });
  expect(stops()).toBe(3);
});

it("says so when the system under test does not come up", async () => {
  const file = write("s.yaml", HI);
  hook = "http://127.0.0.1:9/hook";
  const tried = async (...words: string[]) => {
    const { code, err } = await ran([file, ...words]);
    expect(code).toBe(1);
    return err;
  };
  expect(await tried("--hook", hook, "--exec", "echo no luck; exit 3")).toMatch(
    /^echo no luck; exit 3 exited before it was ready: exit code 3, after \d+m?s; the run waited for 127\.0\.0\.1:9 to accept connections\nIt printed last:\n {2}no luck\n$/,
  );
  // Without --hook, the first output counts as ready, and the message of the shell is output.
  expect(await tried("--hook", hook, "--exec", "exec /nowhere/bot")).toMatch(
    /^exec \/nowhere\/bot exited before it was ready: exit code 127, [\s\S]*\nIt printed last:\n.*not found\n$/,
  );
  const slow = "echo still thinking; exec sleep 60";
  expect(await tried("--hook", hook, "--exec", slow, "--within", "1s")).toBe(
    `${slow} was not ready within 1s (--within): the run waited for 127.0.0.1:9 to accept connections; last seen: connection refused: nothing is listening at the address\nIt printed last:\n  still thinking\n`,
  );
  expect(await tried(...SLEEP, "--within", "200ms")).toBe(
    "exec sleep 60 was not ready within 200ms (--within): the run waited for it to print something; last seen: it printed nothing\nIt printed nothing.\n",
  );
});

it("reports every scenario as failed when the system under test does not come up", async () => {
  const report = write("report.json", "of the run before");
  const files = [write("a.yaml", HI), write("b.yaml", HI)];
  const words = ["--exec", "exit 3", "--reporter", "json", "--out", report];
  const message = expect.stringContaining("exit 3 exited before it was ready: exit code 3");
  expect(await ran([...files, ...words])).toMatchObject({ code: 1, err: message });
  const scenarios = files.map((file) => ({ ok: false, file, steps: [{ ok: false, message }] }));
  expect(JSON.parse(readFileSync(report, "utf8"))).toMatchObject({ ok: false, scenarios });
});

it("stops the system under test when the terminal closes", async () => {
  const waits = write("s.yaml", `${HI}  - reply: Good morning!\n  - wait: 1m\n`);
  const command = start(["run", waits, ...systemOf(BOT, write("bot.log", ""))]);
  const isUp = () =>
    fetch(hook, { method: "POST", body: '{"data":{}}' }).then(
      () => true,
      () => false,
    );
  await until(isUp);
  command.child.kill("SIGHUP");
  expect(await command.exited).toBe(129);
  await until(async () => !(await isUp()));
});

it.each([
  ["in the middle of a step that waits", "  - reply: Hi\n", { step: "reply" }],
  ["after the last step", "", {}],
])("fails a run whose program ends %s, with its exit code and last lines", async (_, steps, failed) => {
  const system = systemOf(CRASHES);
  const words = [write("s.yaml", WAITS + steps), ...system, "--reporter", "json"];
  const { code, out } = await ran(words);
  const message = `${system.at(-1)} exited before the run ended: exit code 7`;
  const bad = JSON.parse(out).scenarios[0].steps.find(({ ok }: { ok: boolean }) => !ok);
  expect([code, bad]).toMatchObject([1, { ...failed, message, seen: ["cannot go on"] }]);
});

it("notices a program that fails though a child of it goes on, and one that ends with success", async () => {
  const file = write("s.yaml", `${WAITS}  - reply: Hi\n`);
  const child = `import { spawn } from "node:child_process"; spawn("sleep", ["60"], { stdio: "inherit" });\n`;
  const { out } = await ran([file, ...systemOf(child + CRASHES)]);
  expect(out).toContain("exited before the run ended: exit code 7");
  const [, , ...withoutHook] = systemOf('console.log("up"); setTimeout(() => {}, 300);');
  expect((await ran([file, ...withoutHook])).out).toContain("exited before the run ended: exit code 0");
});

/** Begins `run --watch`; `runs` counts how often it has run. */
const watching = (path: string) => {
  const command = start(["run", path, "--watch"]);
  const end = async () => {
    command.child.kill("SIGINT");
    expect(await command.exited).toBe(0);
  };
  return { ...command, end, runs: () => command.stderr().split("Watching").length - 1 };
};

it("runs again when a scenario changes, until a signal", async () => {
  const file = write("s.yaml", "name: first\nsteps:\n  - request: GET /api/webhooks/\n");
  const { stdout, runs, end } = watching(file);
  await until(() => runs() === 1);
  expect(stdout()).toMatch(/✓ first[\s\S]*1 passed/);
  writeFileSync(file, "name: second\nsteps:\n  - request: GET /api/webhooks/\n");
  await until(() => stdout().includes("✓ second"));
  await until(() => runs() > 1);
  await end();
});

it("watches fixtures that are broken, and folders", async () => {
  const fixture = write("start.json", '{ "organizations": [] }');
  write("a.yaml", "name: a\nfixtures: start.json\nsteps:\n  - log: one\n");
  const { stdout, stderr, runs, end } = watching(dirname(fixture));
  await until(() => runs() === 1);
  for (const [text, seen] of [
    ["{", () => stderr().includes("start.json:1:2")],
    ['{ "organizations": [] }', () => stdout().split("1 played").length > 2],
  ] as const) {
    const before = runs();
    writeFileSync(fixture, text);
    await until(() => seen() && runs() > before);
  }
  write("b.yaml", "name: b\nsteps:\n  - log: two\n");
  await until(() => stdout().includes("2 played"));
  await end();
});
