import { expect, onTestFinished } from "vitest";
import { runCommand } from "../../src/cli/commands.js";
import { startServing } from "../../src/cli/serve.js";
import type { Terminal } from "../../src/cli/terminal.js";
import { readServeFlags } from "../support/serve-flags.js";
import { withCalls } from "../support/simulator.js";
import { until } from "../support/until.js";

type Env = Readonly<Record<string, string>>;

/** Keeps what a command says. */
export function terminalWith(env: Env, more: Partial<Terminal> = {}) {
  let out = "";
  let err = "";
  const terminal: Terminal = {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    env,
    ...more,
  };
  return { terminal, out: () => out, err: () => err };
}

/** Begins a command in this process; `more`: what is typed, and whether somebody still reads. */
export function begin(words: readonly string[], env: Env = {}, more: Partial<Terminal> = {}) {
  const { terminal, out, err } = terminalWith(env, more);
  let isOver = false;
  const exited = runCommand(words, terminal).finally(() => {
    isOver = true;
  });
  /** Waits until something has been printed. */
  const printed = async (text: RegExp) => {
    await until(() => isOver || text.test(out()));
    if (!text.test(out())) throw new Error(`${text} is not in\n${out()}${err()}`);
  };
  return { exited, out, err, printed };
}

/** Runs a command in this process and keeps what it says. */
export async function run(words: readonly string[], env: Env = {}) {
  const { exited, out, err } = begin(words, env);
  return { code: await exited, out: out(), err: err() };
}

/** What `run` returns for words that cannot be used, with a problem that names them. */
export const refused = (problem: string) => ({ code: 2, out: "", err: expect.stringContaining(problem) });

/** What `serve` starts, in this process and at a free port, until the test is over. */
export async function serve(words: readonly string[], env: Env = {}) {
  const { terminal, out, err } = terminalWith(env);
  const served = await startServing(await readServeFlags(["--port=0", ...words]), terminal);
  if (typeof served === "number") throw new Error(err());
  onTestFinished(served.close);
  return { ...withCalls(served.simulator), close: served.close, out, err };
}
