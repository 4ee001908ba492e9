/** `run --exec` starts and stops the system under test; `run --watch` goes on until a signal. */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { scratch } from "../scenarios/support.js";
import { freePort } from "../support/free-port.js";
import { serverOf } from "../support/server.js";
import { until } from "../support/until.js";
import { start } from "./program.js";
import { run } from "./terminal.js";

const ENV = { PATH: process.env.PATH ?? "" };
const HI = 'token: acme-token\nthread: "9001"\nsteps:\n  - customer: Hi\n';
const FAILS = 'thread: "9001"\nwithin: 20\nsteps:\n  - reply: Hello\n';

/** A bot in a process of its own: it greets customers, and writes down when it is asked to go. */
const BOT = `
import { createServer } from "node:http";
import { appendFileSync } from "node:fs";
const { MESSAGING_SIM_URL: url, MESSAGING_SIM_TOKEN: token } = process.env;
console.log("bot with " + token);
process.on("SIGTERM", () => { appendFileSync(process.argv[3], "stopped "); process.exit(0); });
createServer(async (request, response) => {
  let text = "";
  for await (const chunk of request) text += chunk;
  response.end();
  const { data } = JSON.parse(text);
  if (!data.fromCustomer) return;
  await fetch(url + "/api/send-message-to-customer-thread", {
    method: "POST",
    headers: { token, "content-type": "application/json" },
    body: JSON.stringify({ customerThreadId: String(data.customerThreadId), text: "Good morning!" }),
  });
}).listen(Number(process.argv[2]), "127.0.0.1");
`;

it("starts the system under test for each file and stops it; with --keep for all of them, with ids apart", async () => {
  const write = scratch();
  const [bot, log] = [write("bot.mjs", BOT), write("bot.log", "")];
  const ids = "  - id: told\n    delivered: message\n  - log: message ${told.body.data.messageId}\n";
  const [good, again] = ["good.yaml", "again.yaml"].map((name) =>
    write(name, `${HI}${ids}  - reply: Good morning!\n`),
  ) as [string, string];
  const bad = write("bad.yaml", `${HI}  - reply: Bye!\n`);
  const port = await freePort();
  const command = [process.execPath, bot, port, log].map((word) => JSON.stringify(word)).join(" ");
  const words = ["--hook", `http://127.0.0.1:${port}/hook`, "--exec", command];
  expect(await run(["run", good, ...words], ENV)).toMatchObject({ code: 0, err: "" });
  expect(readFileSync(log, "utf8")).toBe("stopped ");
  const failing = await run(["run", bad, good, ...words], ENV);
  expect(failing).toMatchObject({ code: 1, err: expect.stringContaining("bot with acme-token") });
  expect(readFileSync(log, "utf8")).toBe("stopped stopped stopped ");
  const kept = await run(["run", good, again, ...words, "--keep"], ENV);
  expect(kept).toMatchObject({ code: 0, err: "" });
  expect(readFileSync(log, "utf8")).toBe("stopped stopped stopped stopped ");
  expect(new Set(kept.out.match(/message \d+/g)).size).toBe(2);
});

it("says so when the system under test does not come up", async () => {
  const file = scratch()("s.yaml", HI);
  const tried = async (...words: string[]) => {
    const { code, err } = await run(["run", file, ...words], ENV);
    expect(code).toBe(1);
    return err;
  };
  const hook = ["--hook", "http://127.0.0.1:9/hook"];
  expect(await tried(...hook, "--exec", "echo no luck; exit 3")).toMatch(
    /^echo no luck; exit 3 exited before it was ready: exit code 3, after \d+m?s; the run waited for port 9 of 127\.0\.0\.1 to accept connections\nIt printed last:\n {2}no luck\n$/,
  );
  expect(await tried("--exec", "exec /nowhere/bot")).toMatch(
    /^exec \/nowhere\/bot exited before it was ready: exit code 127, [\s\S]*\nIt printed last:\n.*not found\n$/,
  );
  const slow = "echo still thinking; exec sleep 60";
  expect(await tried(...hook, "--exec", slow, "--ready-within", "300ms")).toBe(
    `${slow} was not ready within 300ms (--ready-within): the run waited for port 9 of 127.0.0.1 to accept connections; last seen: connection refused, nothing is listening there\nIt printed last:\n  still thinking\n`,
  );
  expect(await tried("--exec", "exec sleep 60", "--ready-within", "200ms")).toBe(
    "exec sleep 60 was not ready within 200ms (--ready-within): the run waited for it to print something; last seen: it printed nothing\nIt printed nothing.\n",
  );
  let calls = 0;
  const url = await serverOf((_request, response) => {
    calls += 1;
    response.writeHead(503).end();
  });
  expect(await tried("--exec", "exec sleep 60", "--ready", url, "--ready-within", "500ms")).toContain(
    `the run waited for ${url} to respond with success; last seen: it answered 503\n`,
  );
  expect(calls).toBeGreaterThan(0);
});

it("reports every scenario as failed when the system under test does not come up", async () => {
  const write = scratch();
  const report = write("report.json", "of the run before");
  const files = [write("a.yaml", HI), write("b.yaml", HI)];
  const words = ["--exec", "exit 3", "--reporter", "json", "--out", report];
  const { code, err } = await run(["run", ...files, ...words], ENV);
  expect(code).toBe(1);
  expect(err).toContain("exit 3 exited before it was ready: exit code 3");
  const failed = (file: string) => ({
    ok: false,
    file,
    steps: [{ ok: false, message: expect.stringContaining("exited before it was ready: exit code 3") }],
  });
  expect(JSON.parse(readFileSync(report, "utf8"))).toMatchObject({ ok: false, scenarios: files.map(failed) });
});

it("waits for the address of --ready", async () => {
  let asked = 0;
  const ready = await serverOf((_request, response) => {
    asked += 1;
    response.writeHead(asked < 3 ? 503 : 200).end();
  });
  const file = scratch()("fails.yaml", FAILS);
  expect((await run(["run", file, "--exec", "exec sleep 60", "--ready", ready], ENV)).code).toBe(1);
  expect(asked).toBe(3);
});

it("stops the system under test when the terminal closes", async () => {
  const write = scratch();
  const [bot, log] = [write("bot.mjs", BOT), write("bot.log", "")];
  const port = await freePort();
  const words = ["--hook", `http://127.0.0.1:${port}/hook`, "--exec", `node ${bot} ${port} ${log}`];
  const program = start(["run", write("s.yaml", `${HI}  - reply: Good morning!\n  - wait: 1m\n`), ...words]);
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: '{"data":{}}' }).then(
      () => true,
      () => false,
    );
  await until(isUp);
  program.child.kill("SIGHUP");
  expect(await program.exited).toBe(129);
  await until(async () => !(await isUp()));
});

it("says when a kept system under test has ended", async () => {
  const write = scratch();
  const port = await freePort();
  const text = `import { createServer } from "node:http";
createServer(() => process.exit(4)).listen(${port}, "127.0.0.1");
console.log("up");`;
  const command = `exec ${process.execPath} ${write("bot.mjs", text)}`;
  const files = ["a.yaml", "b.yaml"].map((name) =>
    write(name, `name: ${name}\n${HI}  - expect: { delivery: { status: failed } }\n`),
  );
  const words = ["--keep", "--hook", `http://127.0.0.1:${port}/`, "--exec", command];
  const { code, out } = await run(["run", ...files, ...words], ENV);
  expect(code).toBe(1);
  expect(out).toContain(`${command} exited before the run ended: exit code 4\n        seen      ["up"]`);
  expect(out).toContain("2 scenarios: 2 failed");
});

it("runs again when a scenario changes, until a signal", async () => {
  const file = scratch()("s.yaml", "name: first\nsteps:\n  - log: one\n");
  const program = start(["run", file, "--watch"]);
  await until(() => program.stderr().includes("Watching"));
  expect(program.stdout()).toMatch(/✓ first[\s\S]*1 passed/);
  writeFileSync(file, "name: second\nsteps:\n  - log: two\n");
  await until(() => program.stderr().split("Watching").length === 3);
  expect(program.stdout()).toContain("✓ second");
  program.child.kill("SIGINT");
  expect(await program.exited).toBe(0);
});

it("watches fixtures that are broken, and folders", async () => {
  const write = scratch();
  const fixture = write("start.json", '{ "organizations": [] }');
  const folder = dirname(write("a.yaml", "name: a\nfixtures: start.json\nsteps:\n  - log: one\n"));
  const program = start(["run", folder, "--watch"]);
  const runs = () => program.stderr().split("Watching").length - 1;
  await until(() => runs() === 1);
  for (const [text, seen] of [
    ["{", () => program.stderr().includes("start.json:1:2")],
    ['{ "organizations": [] }', () => program.stdout().split("1 passed").length === 3],
  ] as const) {
    const before = runs();
    writeFileSync(fixture, text);
    await until(() => seen() && runs() > before);
  }
  write("b.yaml", "name: b\nsteps:\n  - log: two\n");
  await until(() => program.stdout().includes("2 passed"));
  program.child.kill("SIGINT");
  expect(await program.exited).toBe(0);
});
