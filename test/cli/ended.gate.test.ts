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

it("fails a run whose program ends before it does, with its exit code and last lines", async () => {
  const write = scratch();
  const port = await freePort();
  const command = `exec ${process.execPath} ${write("bot.mjs", CRASHES)} ${port}`;
  const words = ["--hook", `http://127.0.0.1:${port}/`, "--exec", command, "--reporter", "json"];
  const tried = async (steps: string) => {
    const file = write("s.yaml", `thread: "9001"\nwithin: 1m\nsteps:\n  - customer: Hello\n${steps}`);
    const { code, out } = await run(["run", file, ...words], { ...process.env } as Record<string, string>);
    expect(code).toBe(1);
    const [{ steps: reported }] = JSON.parse(out).scenarios;
    return reported.find(({ ok }: { ok: boolean }) => !ok);
  };
  const failure = { message: `${command} exited before the run ended: exit code 7`, seen: ["cannot go on"] };
  // In the middle of a step that waits, and after the last one.
  expect(await tried("  - reply: Hi\n")).toMatchObject({ step: "reply", ...failure });
  expect(await tried("")).toMatchObject(failure);
});

it("notices a program that fails though a child of it goes on, and one that ends with success", async () => {
  const write = scratch();
  const port = await freePort();
  const file = write("s.yaml", 'thread: "9001"\nwithin: 1m\nsteps:\n  - customer: Hello\n  - reply: Hi\n');
  const child = `import { spawn } from "node:child_process"; spawn("sleep", ["60"], { stdio: "inherit" });\n`;
  const tried = async (source: string, ...words: string[]) => {
    const command = `exec ${process.execPath} ${write("bot.mjs", source)} ${port}`;
    const { out } = await run(["run", file, "--exec", command, ...words], { PATH: process.env.PATH ?? "" });
    return out;
  };
  const hook = ["--hook", `http://127.0.0.1:${port}/`];
  expect(await tried(child + CRASHES, ...hook)).toContain("exited before the run ended: exit code 7");
  expect(await tried('console.log("up"); setTimeout(() => {}, 300);')).toContain(
    "exited before the run ended: exit code 0",
  );
});

it("ends a load whose program ends before it does, and fails it", async () => {
  const write = scratch();
  const port = await freePort();
  const command = `exec ${process.execPath} ${write("bot.mjs", CRASHES)} ${port}`;
  const file = write("s.yaml", 'thread: "9001"\nsteps:\n  - customer: Hello\n  - reply: { within: 1m }\n');
  const words = [
    "--customers",
    "1",
    "--for",
    "10m",
    "--hook",
    `http://127.0.0.1:${port}/`,
    "--exec",
    command,
  ];
  const { code, out } = await run(["load", file, ...words], { ...process.env } as Record<string, string>);
  expect(code).toBe(1);
  expect(out).toContain(`${command} exited before the run ended: exit code 7\n  cannot go on`);
});
