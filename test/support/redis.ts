import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { findRedis } from "../../scripts/programs.mjs";
import { freePort } from "./free-port.js";

/** A server of one test, in its own folder. */
export type Redis = Awaited<ReturnType<typeof startRedis>>;

/** Starts a server that keeps everything on its disk. `options`: such as `--maxmemory`, `4mb`. */
export async function startRedis(...options: string[]) {
  const program = findRedis();
  if (program === undefined) throw new Error("there is no Redis: run node scripts/programs.mjs gate");
  const folder = mkdtempSync(join(tmpdir(), "messaging-sim-redis-"));
  const port = await freePort();
  const words = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", ""];
  const sync = ["--repl-diskless-sync-delay", "0"];
  let child: ChildProcess;
  const begin = async () => {
    const started = spawn(
      program,
      [...words, "--appendonly", "yes", "--appendfsync", "always", ...sync, ...options],
      { stdio: ["ignore", "pipe", "ignore"] },
    );
    child = started;
    await new Promise<void>((resolve, reject) => {
      started.once("exit", (code) => reject(new Error(`Redis ended with ${code}`)));
      createInterface({ input: started.stdout }).on("line", (line) => {
        if (line.includes("Ready to accept connections")) resolve();
      });
    });
  };
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
  };
  await begin();
  return {
    port,
    /** The address of one of its databases. */
    url: (db = 0) => `redis://127.0.0.1:${port}/${db}`,
    /** Sends a command and returns the answer. */
    ask: (...asked: string[]) => answerOf(port, asked),
    /** Kills it, as a crash does. */
    kill: () => end("SIGKILL"),
    /** Restarts it on its data. */
    restart: begin,
    pause: () => void child.kill("SIGSTOP"),
    resume: () => void child.kill("SIGCONT"),
    stop: async () => {
      await end("SIGKILL");
      // A child process that rewrites its log outlives it for a moment.
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    },
  };
}

/** One server for all tests of a module that need it, emptied before each; it is available once they run. */
export function sharedRedis(...options: string[]): () => Redis {
  let redis: Redis;
  if (findRedis() !== undefined) {
    beforeAll(async () => {
      redis = await startRedis(...options);
    });
    afterAll(() => redis.stop());
    beforeEach(async () => void (await redis.ask("FLUSHALL")));
  }
  return () => redis;
}

/** An answer as it is sent: a line, or a text after a line with its length. */
function answerOf(port: number, words: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("error", reject);
    let answer = Buffer.alloc(0);
    socket.on("data", (data) => {
      answer = Buffer.concat([answer, data]);
      const [head, size] = /^\$(\d+)\r\n/.exec(answer.toString("latin1")) ?? [];
      const rest = answer.subarray(head?.length ?? 0);
      if (head === undefined ? !rest.toString().endsWith("\r\n") : rest.length < Number(size) + 2) return;
      socket.destroy();
      resolve(answer.toString());
    });
    socket.write(
      `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join("")}`,
    );
  });
}
