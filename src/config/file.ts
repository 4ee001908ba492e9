import { dirname, isAbsolute, join } from "node:path";
import type { ParsedDocument } from "../kernel/document.js";
import { isObject } from "../kernel/json.js";
import { isKeyOf } from "../kernel/keys.js";
import type { Problem } from "../kernel/problems.js";
import { keyProblemAt, problemAt, problemsOfFirst, under } from "../kernel/problems.js";
import { kindOf, unknownKey } from "../kernel/words.js";
import { SERVER_ADDRESS } from "../store/port.js";
import { isProfile } from "./behaviour.js";
import type { Option } from "./option.js";
import { namesIn, type OptionName, SERVE_OPTIONS } from "./options.js";
import type { Source, SourceValue } from "./source.js";
import { checkValues } from "./values.js";

/**
 * Reads a parsed config file. Everything is checked, all problems carry their locations; an empty file gives nothing.
 * Names of files become relative to where the config file's own name is relative to.
 */
export async function readConfig(document: ParsedDocument): Promise<Source> {
  const { value } = document;
  if (value === null || value === undefined) return { values: [], problems: [] };
  if (!isObject(value)) {
    const problem = problemAt([], `must be an object, but is ${kindOf(value)}`);
    return { values: [], problems: document.locate([problem]) };
  }
  const names = namesIn("file");
  const isName = (key: string): key is OptionName => isKeyOf(SERVE_OPTIONS, key) && names.includes(key);
  const keys = Object.keys(value).filter((key) => key !== "$schema");
  const unknown = keys.filter((key) => !isName(key));
  const values = keys.filter(isName).map((key) => valueIn(key, value[key]));
  const problems = [
    ...document.duplicateKeys(),
    ...problemsOfFirst(unknown, (key) => [keyProblemAt([key], unknownKey("option", key, names))]),
    ...(await checkValues(values)),
  ];
  const inText = (problem: Problem): Problem => document.locate([problem])[0] ?? problem;
  return {
    values: values.map((one) => ({
      ...one,
      value: besideConfig(one, document.file),
      locate: (problem) => inText(one.locate(problem)),
    })),
    problems: document.locate(problems),
  };
}

const valueIn = (name: OptionName, value: unknown): SourceValue => ({
  name,
  value,
  locate: (problem) => under([name], problem),
});

function besideConfig({ name, value }: SourceValue, config: string): unknown {
  const option: Option = SERVE_OPTIONS[name];
  if (option.file !== true) return value;
  const beside = (file: unknown): unknown => {
    if (typeof file !== "string" || isAbsolute(file) || (name === "behaviour" && isProfile(file)))
      return file;
    if (name === "data" && SERVER_ADDRESS.test(file)) return file;
    return join(dirname(config), file);
  };
  return Array.isArray(value) ? value.map(beside) : beside(value);
}
