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
export const SERVE: CommandModule = command({
  options: SERVE_FLAGS,
  epilogue: SOURCES,
  examples: [
    ["messaging-sim serve", "at the usual address, with the world that ships"],
    ["messaging-sim serve --port 0", "at any free port; the first line names it"],
    [
      "messaging-sim serve --fixtures acme.json --watch",
      "a world of your own, loaded anew when its file changes",
    ],
    [
      "messaging-sim serve --behaviour realistic --strict",
      "as services usually are, refusing what none promises",
    ],
    ["messaging-sim serve --data ./sim-data", "keeps every sandbox over restarts"],
  ],
  exits: {
    0: "it was asked to end (SIGINT, SIGTERM), and has",
    2: "an option or a file is unusable, or the port is in use",
    130: "a second signal ended it at once",
  },
  run: async () => 0,
});
