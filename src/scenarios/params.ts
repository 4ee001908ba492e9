/** Parameters of a scenario: defaults in the file, values from the command line. */
import { given } from "../kernel/given.js";
import { isObject } from "../kernel/json.js";
import type { Problem } from "../kernel/problems.js";
import { keyProblemAt, ProblemList, problemAt } from "../kernel/problems.js";
import { kindOf, unknownKey } from "../kernel/words.js";
import { escaped, fillIn } from "./placeholders.js";

type Param = string | number | boolean | null;
export type Params = Readonly<Record<string, Param>>;

interface Filled {
  readonly value: Readonly<Record<string, unknown>>;
  readonly params: Params;
  readonly problems: readonly Problem[];
}

/** The scenario with `${param:…}` filled in. Values from outside take the type of the default that they replace. */
export function fillParams(
  { params: defaults, ...rest }: Readonly<Record<string, unknown>>,
  outside: Readonly<Record<string, string>>,
): Filled {
  const params = (isObject(defaults) ? { ...defaults } : {}) as Record<string, Param>;
  const problems = new ProblemList();
  for (const [name, text] of Object.entries(outside)) {
    if (!Object.hasOwn(params, name)) continue;
    const initial = params[name] as Param;
    const value = typed(text, initial);
    if (value !== undefined) params[name] = value;
    else {
      const message = `must be ${kindOf(initial)}, but --param ${name} says "${text}"`;
      problems.add(() => keyProblemAt(["params", name], message));
    }
  }
  const filled = fillIn(
    rest,
    ({ text, name }, at) => {
      const value = params[name];
      if (Object.hasOwn(params, name)) return typeof value === "string" ? escaped(value) : value;
      const unknown = () => unknownKey("parameter", name, Object.keys(params));
      problems.add(() => problemAt(at, `\${${text}}: ${unknown()}`));
      return `\${${text}}`;
    },
    { onlyParams: true },
  );
  return { value: { ...(filled as object), ...given({ params: defaults }) }, params, problems: problems.all };
}

/** A text as a value of the same type as the default; undefined when it is none. */
function typed(text: string, initial: Param): Param | undefined {
  if (typeof initial === "number")
    return text.trim() === "" || Number.isNaN(Number(text)) ? undefined : Number(text);
  if (typeof initial === "boolean") return text === "true" ? true : text === "false" ? false : undefined;
  return text;
}
