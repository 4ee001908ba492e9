import { readWords } from "../../src/cli/program.js";
import { SERVE } from "../../src/cli/serve.js";
import type { Flags } from "../../src/server/config/serve.js";

const COMMAND = {
  name: "serve",
  group: "Simulator",
  positionals: "",
  description: "",
  load: async () => SERVE,
} as const;

/** The flags on a command line of `serve`. @throws UnusableDocument */
export const readServeFlags = (words: readonly string[]): Flags => readWords(COMMAND, SERVE, words).args;
