import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** The built program. */
export const MAIN = join(import.meta.dirname, "..", "..", "dist", "cli", "main.js");

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
  let out = "";
  let err = "";
  let taken = 0;
  const closed = once(child, "close");
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  return {
    child,
    /** The exit code, once all that it wrote has been read: that takes longer than its end. */
    exited: closed.then(([code]) => code as number | null),
    stdout: () => out,
    stderr: () => err,
    /** The next line of standard output; the rest of it, maybe nothing, when the program has ended. */
    async line(): Promise<string> {
      let end = out.indexOf("\n", taken);
      while (end < 0 && (await Promise.race([once(child.stdout, "data"), closed.then(() => false)])))
        end = out.indexOf("\n", taken);
      const line = out.slice(taken, end < 0 ? undefined : end);
      taken += line.length + 1;
      return line;
    },
    /** Waits for the ready line and takes the address from it. */
    async url(): Promise<string> {
      const line = await this.line();
      const [, url = ""] = / ready at (http\S+?)"?[,}]?$/.exec(line) ?? [];
      if (url === "") throw new Error(`not ready: ${line} ${err}`);
      return url;
    },
  };
}
