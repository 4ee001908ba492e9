// Slow: programs that end while a run waits for them.
import { expect, it } from "vitest";
import { scratch } from "../scenarios/support.js";
import { freePort } from "../support/free-port.js";
import { run } from "./terminal.js";

/** A program that takes webhooks, and ends by the first one. */
const CRASHES = `import { createServer } from "node:http";
createServer((request) => {
  console.log("cannot go on");
  process.exit(7);
}).listen(Number(process.argv[2]), "127.0.0.1");`;

const WAITS = 'thread: "9001"\nwithin: 1m\nsteps:\n  - customer: Hello\n';

/** Runs a command with a scenario and a program; what it says, and how the program was started. */
async function tried(source: string, scenario: string, ...[command, ...words]: [string, ...string[]]) {
  const write = scratch();
  const exec = `exec ${process.execPath} ${write("bot.mjs", source)} ${await freePort()}`;
  const hook = source.includes(CRASHES) ? ["--hook", `http://127.0.0.1:${exec.split(" ").at(-1)}/`] : [];
  const all = [command, write("s.yaml", scenario), ...hook, "--exec", exec, ...words];
  return { exec, ...(await run(all, { PATH: process.env.PATH ?? "" })) };
}

it.each([
  ["in the middle of a step that waits", "  - reply: Hi\n", { step: "reply" }],
  ["after the last step", "", {}],
])("fails a run whose program ends %s, with its exit code and last lines", async (_, steps, failed) => {
  const { exec, code, out } = await tried(CRASHES, WAITS + steps, "run", "--reporter", "json");
  expect(code).toBe(1);
  const [{ steps: reported }] = JSON.parse(out).scenarios;
  const failure = { message: `${exec} exited before the run ended: exit code 7`, seen: ["cannot go on"] };
  expect(reported.find(({ ok }: { ok: boolean }) => !ok)).toMatchObject({ ...failed, ...failure });
});

it("notices a program that fails though a child of it goes on, and one that ends with success", async () => {
  const child = `import { spawn } from "node:child_process"; spawn("sleep", ["60"], { stdio: "inherit" });\n`;
  const said = async (source: string) => (await tried(source, `${WAITS}  - reply: Hi\n`, "run")).out;
  expect(await said(child + CRASHES)).toContain("exited before the run ended: exit code 7");
  expect(await said('console.log("up"); setTimeout(() => {}, 300);')).toContain(
    "exited before the run ended: exit code 0",
  );
});

it("ends a load whose program ends before it does, and fails it", async () => {
  const words = ["load", "--customers", "1", "--for", "10m"] as const;
  const { exec, code, out } = await tried(CRASHES, `${WAITS}  - reply: { within: 1m }\n`, ...words);
  expect(code).toBe(1);
  expect(out).toContain(`${exec} exited before the run ended: exit code 7\n  cannot go on`);
});
