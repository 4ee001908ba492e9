import { runCommand } from "../../src/cli/commands.js";

/** Runs a command in this process and keeps what it says. */
export async function run(words: string[], env: Record<string, string> = {}) {
  let out = "";
  let err = "";
  const code = await runCommand(words, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    env,
  });
  return { code, out, err };
}
