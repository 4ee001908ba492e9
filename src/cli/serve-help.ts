import { isSwitch, type Option, variableOf } from "../config/option.js";
import { namesIn, SERVE_OPTIONS } from "../config/options.js";
import { given } from "../kernel/given.js";
import type { CommandModule } from "./command.js";

/** `serve` as `--help` shows it. Its options are read by `src/config/flags.ts`, which starts faster. */
export const SERVE: CommandModule = {
  declare: (yargs) => {
    for (const name of namesIn("outside")) {
      const { description, group, default: preset }: Option = SERVE_OPTIONS[name];
      yargs.option(name, {
        type: isSwitch(SERVE_OPTIONS[name]) ? "boolean" : "string",
        describe: description,
        group: `${group}:`,
        requiresArg: !isSwitch(SERVE_OPTIONS[name]),
        ...given({ defaultDescription: preset?.toString() }),
      });
    }
    return yargs.epilogue(
      `Each option can also come from the environment (--log-level: ${variableOf("log-level")}) ` +
        "and from the file that --config names. Flags win over the environment, the environment over the file.",
    );
  },
  run: async () => 0,
};
