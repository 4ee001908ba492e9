/** The options of `serve` as flags, also for `health`, which finds the same simulator by them. */

import { omitUndefined } from "../kernel/objects.js";
import { isSwitch, namesIn, type Option, SERVE_OPTIONS, variableOf } from "../server/config/options.js";
import type { Flags } from "../server/config/sources.js";
import { type CommandOption, command } from "./command.js";
import { readCommandLine } from "./program.js";
import { OK } from "./terminal.js";

/** The flags as `--help` shows them; their texts are parsed together with environment and config file. */
export const SERVE_FLAGS: Readonly<Record<string, CommandOption<readonly string[]>>> = Object.fromEntries(
  namesIn("outside").map((name) => {
    const option: Option = SERVE_OPTIONS[name];
    const declared = {
      type: isSwitch(option) ? "boolean" : "string",
      describe: option.description,
      group: `${option.group}:`,
      requiresArg: !isSwitch(option),
      ...omitUndefined({ defaultDescription: option.default?.toString() }),
    } as const;
    return [name, { declared, read: (texts) => texts }];
  }),
);

export const SOURCES =
  `Each option can also come from the environment (--log-level: ${variableOf("log-level")}) ` +
  "or from the file given with --config. Flags win over the environment, and the environment over the file.";

/** The flags on a command line of `serve`. @throws UnusableDocument */
export async function readServeFlags(words: readonly string[]): Promise<Flags> {
  const module = command({ options: SERVE_FLAGS, examples: {}, exits: {}, run: async () => OK });
  const serve = { name: "serve", positionals: "", description: "", load: async () => module };
  return (await readCommandLine([serve], ["serve", ...words]))?.args ?? {};
}
