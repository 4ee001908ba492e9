/** Standard output that nobody reads, or that cannot be written. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { scratch } from "../scenarios/support.js";
import { freePort } from "../support/free-port.js";
import { startSimulator } from "../support/simulator.js";
import { until } from "../support/until.js";
import { MAIN } from "./program.js";

/** A disk that is full. */
const FULL = "/dev/full";

/** Starts a command whose output goes to a full disk, or whose reader goes away before it writes. */
function startOn(output: "full" | "unread", ...words: string[]) {
  const stdout = output === "full" ? openSync(FULL, "w") : "pipe";
  const child = spawn(process.execPath, [MAIN, ...words], { stdio: ["ignore", stdout, "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdout?.destroy();
  let err = "";
  child.stderr?.on("data", (text) => void (err += text));
  return { child, ended: once(child, "close").then(([code]) => ({ code, err })) };
}

const err = "cannot write to standard output: the disk is full\n";

describe.each([
  // The code of a program that SIGPIPE ended.
  { output: "unread", ends: { code: 141, err: "" }, serves: { code: 0, err: "" } },
  { output: "full", ends: { code: 2, err }, serves: { code: 0, err } },
] as const)("standard output: $output", ({ output, ends, serves }) => {
  const isThere = output === "unread" || existsSync(FULL);

  it.runIf(isThere).each([["generate", "--threads", "20000"], ["--help"]])(
    "ends %s %s with its code and a line at most",
    async (...words) => {
      expect(await startOn(output, ...words).ended).toEqual(ends);
    },
  );

  it.runIf(isThere)("ends a run with its code, and leaves no sandbox behind", async () => {
    const { url, control } = await startSimulator();
    const file = scratch()("waits.yaml", "steps:\n  - log: now\n  - wait: 10m\n");
    const passes = scratch()("passes.yaml", "steps:\n  - log: now\n");
    const words = [passes, file, "--jobs", "1", "--url", url];
    expect(await startOn(output, "run", ...words).ended).toMatchObject({ code: ends.code });
    expect((await control("GET /sandboxes")).body).toMatchObject([{ id: "default" }]);
  });

  it.runIf(isThere)("leaves a simulator at work until it is asked to end", async () => {
    const port = await freePort();
    const { child, ended } = startOn(output, "serve", "--port", String(port), "--log-level", "debug");
    await until(() =>
      fetch(`http://127.0.0.1:${port}/api/nothing`).then(
        ({ status }) => status === 404,
        () => false,
      ),
    );
    child.kill("SIGTERM");
    expect(await ended).toEqual(serves);
  });
});

it("hides no failure: what is unusable ends with code 2, whoever reads", async () => {
  const err = expect.stringContaining("--threads");
  expect(await startOn("unread", "generate", "--threads", "none").ended).toEqual({ code: 2, err });
});
