/** The options of `serve`. */
import {
  isRepeatable,
  isSwitch,
  OPTION_NAMES,
  type Option,
  type OptionName,
  SERVE_OPTIONS,
  variableOf,
} from "../../src/server/config/options.js";
import { code, page, table } from "./markdown.js";
import { typeOf } from "./schemas.js";

function valueOfFlag(option: Option): string {
  const { schema } = option;
  if (isSwitch(option)) return "switch";
  if (option.file === true && schema.type === "string") return "file";
  if (schema.type === "object") return "key=value";
  return typeOf(isRepeatable(option) ? (schema.items ?? {}) : schema);
}

function rowOf(name: OptionName): string[] {
  const option: Option = SERVE_OPTIONS[name];
  const { description, default: preset = "", only } = option;
  return [
    only === "file" ? "config file only" : code(`--${name}`),
    only === "file" ? code(name) : code(variableOf(name)),
    valueOfFlag(option),
    // Several words describe the default; one word is the default itself.
    /^$| /.test(String(preset)) ? String(preset) : code(String(preset)),
    description,
  ];
}

export function optionsPage(): string {
  const groups = [...new Set(OPTION_NAMES.map((name) => SERVE_OPTIONS[name].group))];
  return page(
    "Options of serve",
    "Each option is a flag, an environment variable, and a key of the file that `--config` names (YAML or JSON, keys as the flags without `--`). Flags win over the environment, and the environment over the file. Separate several values in a variable with commas. An invalid option fails with exit code 2 and a line that names it.",
    groups.map((group) => [
      `## ${group}`,
      table(
        ["flag", "variable", "value", "default", "what it does"],
        OPTION_NAMES.filter((name) => SERVE_OPTIONS[name].group === group).map(rowOf),
      ),
    ]),
  );
}
