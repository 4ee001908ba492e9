/** Standard output that nobody reads, or that cannot be written. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { freePort } from "../support/free-port.js";
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

const FAILED = { code: 2, err: "cannot write to standard output: the disk is full\n" };

describe.each([
  // The code of a program that SIGPIPE ended.
  { output: "unread", ends: { code: 141, err: "" }, serves: { code: 0, err: "" } },
  { output: "full", ends: FAILED, serves: FAILED },
] as const)("standard output: $output", ({ output, ends, serves }) => {
  const isThere = output === "unread" || existsSync(FULL);

  it.runIf(isThere).each([["generate", "--threads", "20000"], ["--help"]])(
    "ends %s %s with its code and a line at most",
    async (...words) => {
      expect(await startOn(output, ...words).ended).toEqual(ends);
    },
  );

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
