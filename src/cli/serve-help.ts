import { isSwitch, type Option, variableOf } from "../config/option.js";
import { namesIn, SERVE_OPTIONS } from "../config/options.js";
import { given } from "../kernel/given.js";
import type { CommandModule } from "./command.js";
import { command } from "./command.js";
import type { CommandOption } from "./options.js";

/** The options of `serve` as `--help` shows them, read as the flags that they were given as. */
export const SERVE_FLAGS: Readonly<Record<string, CommandOption<readonly string[]>>> = Object.fromEntries(
  namesIn("outside").map((name) => {
    const option: Option = SERVE_OPTIONS[name];
    const declared = {
      type: isSwitch(option) ? "boolean" : "string",
      describe: option.description,
      group: `${option.group}:`,
      requiresArg: !isSwitch(option),
      ...given({ defaultDescription: option.default?.toString() }),
    } as const;
    return [name, { declared, read: (texts) => texts.map((text) => `--${name}=${text}`) }];
  }),
);

export const SOURCES =
  `Each option can also come from the environment (--log-level: ${variableOf("log-level")}) ` +
  "and from the file that --config names. Flags win over the environment, the environment over the file.";

/** `serve` as `--help` shows it. Its options are read by `src/config/flags.ts`, which starts faster. */
export const SERVE: CommandModule = command({ options: SERVE_FLAGS, epilogue: SOURCES, run: async () => 0 });
