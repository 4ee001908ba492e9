import { keyProblemAt, UnusableDocument } from "../kernel/problems.js";
import { unknownKey } from "../kernel/words.js";
import type { SimulatorOptions } from "./config/options.js";

export type { SimulatorOptions } from "./config/options.js";

/** What of a start can be loaded anew. `behaviour`, `strict` and `set` belong together: those left out are as before. */
export type LoadOptions = Pick<SimulatorOptions, "fixtures" | "behaviour" | "strict" | "set" | "faults">;

/** Those options, and what each decides. */
export const LOAD_OPTIONS = {
  fixtures: "fixtures",
  behaviour: "behaviour",
  strict: "behaviour",
  set: "behaviour",
  faults: "faults",
} as const satisfies Record<keyof LoadOptions, "fixtures" | "behaviour" | "faults">;

/** @throws UnusableDocument that names every option that does not exist */
export function refuseUnknownOptions(options: object, known: readonly string[]): void {
  const problems = Object.keys(options)
    .filter((name) => !known.includes(name))
    .map((name) => keyProblemAt([name], unknownKey("option", name, known)));
  if (problems.length > 0) throw new UnusableDocument(problems);
}
