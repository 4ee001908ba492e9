// Slow: programs that wait until they are interrupted.
/** What Ctrl+C leaves behind: nothing. The first signal ends a command in order, the second one at once. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { scratch } from "../scenarios/support.js";
import { serverOf } from "../support/server.js";
import { startSimulator } from "../support/simulator.js";
import { until } from "../support/until.js";
import { start } from "./program.js";

const PASSES = "steps:\n  - request: GET /api/webhooks/\n";
const WAITS = "steps:\n  - wait: 10m\n";

/** A program that writes down that it has begun, and that it was asked to go. */
const PROGRAM = `import { appendFileSync } from "node:fs";
const note = (text) => appendFileSync(process.argv[2], text);
process.on("SIGTERM", () => { note(" stopped"); process.exit(0); });
setInterval(() => {}, 60_000);
note("begun");
if (process.argv[3] === "ready") console.log("ready");
`;

/** A simulator, a folder with scenarios, and the ids of the sandboxes that a run has made. */
async function setUp(scenarios: Readonly<Record<string, string>>) {
  const { url, control } = await startSimulator();
  const write = scratch();
  const files = Object.entries(scenarios).map(([name, text]) =>
    write(`${name}.yaml`, `name: ${name}\n${text}`),
  );
  const made = async () =>
    ((await control("GET /sandboxes")).body as { id: string }[]).slice(1).map(({ id }) => id);
  const log = write("program.log", "");
  const program = (...words: string[]) => {
    const command = [process.execPath, write("program.mjs", PROGRAM), log, ...words];
    return `exec ${command.map((word) => JSON.stringify(word)).join(" ")}`;
  };
  return { url, files, made, program, noted: () => readFileSync(log, "utf8") };
}

it("removes the sandbox of a run, and reports what ran", async () => {
  const { url, files, made } = await setUp({ a: PASSES, b: WAITS, c: PASSES });
  const command = start(["run", ...files, "--url", url, "--jobs", "1"]);
  await until(() => command.stdout().includes("✓ a"));
  await until(async () => (await made()).length === 1);
  command.child.kill("SIGINT");
  expect(await command.exited).toBe(130);
  expect(await made()).toEqual([]);
  expect(command.stdout()).toMatch(/✗ b[\s\S]*the run was interrupted/);
  expect(command.stdout()).not.toContain(" c");
  expect(command.stderr()).toBe("Interrupted: 2 of 3 scenarios were begun\n");
});

it("writes the report of an interrupted run to its file", async () => {
  const { url, files, made } = await setUp({ waits: WAITS });
  const out = files[0]?.replace("waits.yaml", "report.json") ?? "";
  const command = start(["run", ...files, "--url", url, "--reporter", "json", "--out", out]);
  await until(async () => (await made()).length === 1);
  command.child.kill("SIGTERM");
  expect(await command.exited).toBe(130);
  const steps = [{ ok: false, step: "wait", message: "the run was interrupted" }];
  expect(JSON.parse(readFileSync(out, "utf8"))).toMatchObject({ ok: false, scenarios: [{ steps }] });
});

it("ends run --watch during a run", async () => {
  const { url, files, made } = await setUp({ waits: WAITS });
  const command = start(["run", ...files, "--url", url, "--watch"]);
  await until(async () => (await made()).length === 1);
  command.child.kill("SIGINT");
  expect(await command.exited).toBe(130);
  expect(await made()).toEqual([]);
  expect(command.stdout()).toContain("the run was interrupted");
  expect(command.stderr()).not.toContain("Watching");
});

it("ends run --watch while it waits, with the exit code of the last run", async () => {
  const { url, files, made } = await setUp({ passes: PASSES });
  const command = start(["run", ...files, "--url", url, "--watch"]);
  await until(() => command.stderr().includes("Watching"));
  command.child.kill("SIGINT");
  expect(await command.exited).toBe(0);
  expect(await made()).toEqual([]);
});

it.each([
  ["while it is starting", []],
  ["during a step", ["ready"]],
])("stops the system under test %s", async (_, words) => {
  const { files, program, noted } = await setUp({ waits: WAITS });
  const command = start(["run", ...files, "--exec", program(...words), "--within", "10m"]);
  await until(() => noted() === "begun");
  command.child.kill("SIGINT");
  expect(await command.exited).toBe(130);
  expect(noted()).toBe("begun stopped");
});

it("stops the system under test of a challenge, and reports what was tried", async () => {
  const { url, files, program, noted } = await setUp({ waits: WAITS });
  const words = ["--exec", program("ready"), "--url", url, "--reporter", "json"];
  const command = start(["challenge", ...files, ...words]);
  await until(() => noted() === "begun");
  command.child.kill("SIGINT");
  expect(await command.exited).toBe(130);
  expect(noted()).toBe("begun stopped");
  expect(JSON.parse(command.stdout())).toMatchObject({ ok: false, challenges: [] });
  expect(command.stderr()).toContain("Interrupted");
});

it("exits at the second signal, also when the simulator does not respond", async () => {
  let asked = 0;
  const url = await serverOf(() => void (asked += 1));
  const { files } = await setUp({ passes: PASSES });
  const command = start(["run", ...files, "--url", url]);
  await until(() => asked > 0);
  // Two of the same signal could arrive as one.
  command.child.kill("SIGINT");
  command.child.kill("SIGTERM");
  expect(await command.exited).toBe(130);
  expect(command.stdout()).toBe("");
});
