/** Parameters of a scenario: defaults in the file, values from the command line. */
import type { Problem } from "../kernel/problems.js";
import { keyProblemAt, problemAt } from "../kernel/problems.js";
import { kindOf, unknownKey } from "../kernel/words.js";
import { escaped, fillIn, referencesIn } from "./placeholders.js";

export type Param = string | number | boolean | null;
export type Params = Readonly<Record<string, Param>>;

export interface Filled {
  readonly value: Readonly<Record<string, unknown>>;
  readonly params: Params;
  readonly problems: readonly Problem[];
}

/** The scenario with `${param:…}` filled in. Given values take the type of the default that they replace. */
export function filledWithParams(
  scenario: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, string>>,
): Filled {
  const { params: defaults = {}, ...rest } = scenario;
  const known = isParams(defaults) ? defaults : {};
  const problems: Problem[] = [];
  const params: Record<string, Param> = { ...known };
  for (const [name, text] of Object.entries(given)) {
    if (!Object.hasOwn(known, name)) continue;
    const value = typed(text, known[name] as Param);
    if (value === undefined)
      problems.push(
        keyProblemAt(["params", name], `must be ${kindOf(known[name])}, but --param ${name} says "${text}"`),
      );
    else params[name] = value;
  }
  for (const { text, name, isParam, at } of referencesIn(rest)) {
    if (isParam && !Object.hasOwn(params, name))
      problems.push(problemAt(at, `\${${text}}: ${unknownKey("parameter", name, Object.keys(params))}`));
  }
  const filled = fillIn(
    rest,
    ({ text, name }) => (Object.hasOwn(params, name) ? escaped(params[name]) : `\${${text}}`),
    true,
  );
  return {
    value: { ...(filled as object), ...(scenario.params === undefined ? {} : { params: defaults }) },
    params,
    problems,
  };
}

const isParams = (value: unknown): value is Params =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A text as a value of the same type as the default; undefined when it is none. */
function typed(text: string, standard: Param): Param | undefined {
  if (typeof standard === "number")
    return text.trim() === "" || Number.isNaN(Number(text)) ? undefined : Number(text);
  if (typeof standard === "boolean") return text === "true" ? true : text === "false" ? false : undefined;
  return text;
}
