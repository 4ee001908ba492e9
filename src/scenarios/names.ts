/** Names that placeholders may use: what is unknown, or comes later, is said before anything runs. */
import type { Path } from "../kernel/path.js";
import type { Problem } from "../kernel/problems.js";
import { problemAt } from "../kernel/problems.js";
import { unknownKey } from "../kernel/words.js";
import { referencesIn } from "./placeholders.js";
import { STEPS } from "./steps/index.js";

type Fields = Readonly<Record<string, unknown>>;

/** Names that mean something of their own. */
const RESERVED = ["thread", "round"];
const VERBATIM = new Set(STEPS.filter(({ verbatim }) => verbatim === true).map(({ key }) => key));

/** What is wrong with the names in steps that fit the schema; parameters are filled in already. */
export function nameProblems(steps: readonly unknown[], hasThread: boolean): Problem[] {
  const problems: Problem[] = [];
  const later = new Set(namesIn(steps).map(({ name }) => name));
  const known = new Set(hasThread ? ["thread"] : []);

  const read = (value: unknown, at: Path): void => {
    for (const { text, name, isParam, at: place } of referencesIn(value, at)) {
      if (isParam || known.has(name)) continue;
      problems.push(problemAt(place, `\${${text}}: ${whyUnknown(name)}`));
    }
  };
  const whyUnknown = (name: string): string => {
    if (name === "thread") return "the scenario names no thread";
    if (name === "round") return 'there is no "round" outside a repeat';
    return later.has(name) ? `"${name}" comes later` : unknownKey("name", name, [...known, ...later]);
  };
  const walk = (items: readonly unknown[], base: Path): void => {
    for (const [index, item] of items.entries()) {
      const step = item as Fields;
      const at = [...base, index];
      for (const [key, value] of Object.entries(step)) {
        if (VERBATIM.has(key) || key === "name" || key === "id") continue;
        if (key !== "repeat") read(value, [...at, key]);
      }
      if (step.repeat !== undefined) walkRepeat(step.repeat as Fields, [...at, "repeat"]);
      for (const { name, path } of namesOf(step)) {
        if (RESERVED.includes(name) || known.has(name))
          problems.push(problemAt([...at, ...path], `there is a "${name}" already`));
        known.add(name);
      }
    }
  };
  const walkRepeat = ({ steps: inner, ...own }: Fields, at: Path): void => {
    read(own, at);
    const isOuter = !known.has("round");
    known.add("round");
    walk(inner as unknown[], [...at, "steps"]);
    if (isOuter) known.delete("round");
  };
  walk(steps, ["steps"]);
  return problems;
}

interface Named {
  readonly name: string;
  readonly path: Path;
}

/** The id of a step and what it captures. */
function namesOf({ id, capture }: Fields): Named[] {
  return [
    ...(typeof id === "string" ? [{ name: id, path: ["id"] }] : []),
    ...Object.keys(Object(capture)).map((name) => ({ name, path: ["capture", name] })),
  ];
}

const namesIn = (steps: readonly unknown[]): Named[] =>
  steps.flatMap((item) => {
    const step = item as Fields;
    const inner = (step.repeat as Fields | undefined)?.steps;
    return [...namesOf(step), ...(Array.isArray(inner) ? namesIn(inner) : [])];
  });
