import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

const MAIN = join(import.meta.dirname, "..", "..", "dist", "cli", "main.js");

/** Starts the built program; it is gone when the test is. `descriptors`: how many files it may have open. */
export function start(words: string[], env: Record<string, string> = {}, descriptors?: number) {
  const command = [process.execPath, MAIN, ...words];
  const limited = ["sh", "-c", `ulimit -n ${descriptors}; exec "$@"`, "sh", ...command];
  const [file, ...rest] = (descriptors === undefined ? command : limited) as [string, ...string[]];
  const child = spawn(file, rest, {
    env: { PATH: process.env.PATH ?? "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const err: string[] = [];
  child.stderr.on("data", (text) => err.push(String(text)));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const exited = once(child, "exit").then(([code]) => code as number | null);
  return {
    child,
    exited,
    stderr: () => err.join(""),
    /** The next line of standard output. */
    line: async (): Promise<string> => String((await lines.next()).value),
    /** Waits for the ready line and takes the address from it. */
    async url(): Promise<string> {
      const line = await this.line();
      const [, url = ""] = / ready at (http\S+?)"?[,}]?$/.exec(line) ?? [];
      if (url === "") throw new Error(`not ready: ${line} ${err.join("")}`);
      return url;
    },
  };
}
