import { COMMANDS } from "../../src/cli/commands.js";
import { readCommandLine } from "../../src/cli/program.js";
import type { Flags } from "../../src/server/config/serve.js";

/** The flags on a command line of `serve`. @throws UnusableDocument */
export const readServeFlags = async (words: readonly string[]): Promise<Flags> =>
  (await readCommandLine(COMMANDS, ["serve", ...words]))?.args ?? {};
