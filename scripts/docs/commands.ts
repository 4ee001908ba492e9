/** The commands: a page for each, from the table that `--help` shows. */
import type { Command, CommandModule } from "../../src/cli/command.js";
import { allCommands } from "../../src/cli/commands.js";
import { type Blocks, block, code, page, table } from "./markdown.js";

type Option = CommandModule["options"][string];

/** How a command is called. */
const usageOf = ({ name, positionals }: Command): string =>
  ["messaging-sim", name, positionals, "[options]"].filter((part) => part !== "").join(" ");

function defaultOf({ declared: { default: preset, defaultDescription } }: Option): string {
  if (preset !== undefined) return code(String(preset));
  return defaultDescription ?? "";
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Positionals, or options by name. */
function rowsOf({ options }: CommandModule, positional: boolean): string[][] {
  return Object.entries(options)
    .filter(([, option]) => (option.positional === true) === positional)
    .map(([name, option]) => [
      positional ? code(name) : code(`--${name}`),
      positional ? "" : option.declared.type === "boolean" ? "switch" : "value",
      defaultOf(option),
      option.declared.describe ?? "",
    ]);
}

/** The page of one command. */
async function commandPage(command: Command): Promise<string> {
  const module = await command.load();
  // Its options have a page of their own.
  const asServe = command.name === "serve";
  const options = table(["option", "", "default", "what it does"], asServe ? [] : rowsOf(module, false));
  const blocks: Blocks = [
    `${command.description}.`,
    block("", usageOf(command)),
    table(["argument", "", "default", "what it is"], rowsOf(module, true)),
    (asServe || options !== undefined) && [
      "## Options",
      asServe &&
        "It accepts the [options of serve](../options.md), as flags, variables or keys of a config file.",
      options,
    ],
    [
      "## Examples",
      Object.entries(module.examples).map(([line, does]) => [
        `${sentence(does)}:`,
        block("sh", `npx ${line}`),
      ]),
    ],
    [
      "## Exit codes",
      table(
        ["code", "when"],
        Object.entries(module.exits).map(([number, when]) => [number, when]),
      ),
    ],
  ];
  return page(`messaging-sim ${command.name}`, blocks);
}

const indexPage = (commands: readonly Command[]): string =>
  page(
    "Commands",
    "`messaging-sim help` lists the commands, and `messaging-sim help COMMAND` prints the page of one.",
    [...new Set(commands.map(({ group }) => group))].map((group) => [
      `## ${group}`,
      table(
        ["command", "does"],
        commands
          .filter((one) => one.group === group)
          .map(({ name, positionals, description }) => [
            `[${code(`${name} ${positionals}`.trim())}](${name}.md)`,
            description,
          ]),
      ),
    ]),
    "## Common exit codes",
    "0 for success, 1 for failure (a scenario failed, responses differ, a delivery is blocked), 2 if no simulator responds and for unusable input or output that cannot be written (a full disk), 141 if the reader of standard output closed it (`| head`).",
  );

/** The pages of the commands by their paths below docs/reference. */
export async function commandPages(): Promise<[path: string, text: string][]> {
  const commands = await allCommands();
  const pages = commands.map(
    async (command): Promise<[string, string]> => [`commands/${command.name}.md`, await commandPage(command)],
  );
  return [["commands/README.md", indexPage(commands)], ...(await Promise.all(pages))];
}
