import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { freePort } from "../support/free-port.js";
import { MAIN } from "./program.js";

/** A disk that is full. */
const FULL = "/dev/full";

/** Starts a command whose standard output is a full disk. */
function startOnFullDisk(...words: string[]) {
  const child = spawn(process.execPath, [MAIN, ...words], { stdio: ["ignore", openSync(FULL, "w"), "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let err = "";
  child.stderr?.on("data", (text) => void (err += text));
  return { child, err: () => err };
}

/** Starts a command whose reader goes away before it writes. */
function startUnread(...words: string[]) {
  const child = spawn(process.execPath, [MAIN, ...words], { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdout.destroy();
  let err = "";
  child.stderr.on("data", (text) => void (err += text));
  return { child, err: () => err };
}

describe("standard output that nobody reads", () => {
  it.each([["schema", "scenario"], ["generate", "--threads", "20000"], ["--help"]])(
    "makes %s %s end quietly, with the code of a program that SIGPIPE ended",
    async (...words) => {
      const { child, err } = startUnread(...words);
      const [code] = await once(child, "close");
      expect({ code, err: err() }).toEqual({ code: 141, err: "" });
    },
  );

  it("hides no failure: what is unusable ends with code 2", async () => {
    const { child, err } = startUnread("generate", "--threads", "none");
    const [code] = await once(child, "close");
    expect(code).toBe(2);
    expect(err()).not.toBe("");
  });

  it("leaves a simulator at work, which ends with code 0", async () => {
    const port = await freePort();
    const { child, err } = startUnread("serve", "--port", String(port), "--log-level", "debug");
    const get = () =>
      fetch(`http://127.0.0.1:${port}/api/nothing`).then(
        ({ status }) => status,
        () => undefined,
      );
    await expect.poll(get, { timeout: 10_000 }).toBe(404);
    child.kill("SIGTERM");
    const [code] = await once(child, "close");
    expect({ code, err: err() }).toEqual({ code: 0, err: "" });
  });
});

describe.skipIf(!existsSync(FULL))("standard output on a full disk", () => {
  it.each([["schema", "scenario"], ["generate", "--threads", "20000"], ["--help"]])(
    "makes %s %s end with code 2 and one line",
    async (...words) => {
      const { child, err } = startOnFullDisk(...words);
      const [code] = await once(child, "close");
      expect({ code, err: err() }).toEqual({
        code: 2,
        err: "cannot write to standard output: the disk is full\n",
      });
    },
  );

  it("leaves a simulator at work, which says so once and ends with code 2", async () => {
    const port = await freePort();
    const { child, err } = startOnFullDisk("serve", "--port", String(port), "--log-level", "debug");
    const get = () =>
      fetch(`http://127.0.0.1:${port}/api/nothing`).then(
        ({ status }) => status,
        () => undefined,
      );
    await expect.poll(get, { timeout: 10_000 }).toBe(404);
    expect(await get()).toBe(404);
    child.kill("SIGTERM");
    const [code] = await once(child, "close");
    expect({ code, err: err() }).toEqual({
      code: 2,
      err: "cannot write to standard output: the disk is full\n",
    });
  });
});
