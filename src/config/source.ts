import type { Problem } from "../kernel/problems.js";
import type { OptionName } from "./options.js";

/** A value that a source gave for an option: of the right kind or not. */
export interface SourceValue {
  readonly name: OptionName;
  readonly value: unknown;
  /** Says of a problem, whose path begins at the value, where the value was given. */
  readonly locate: (problem: Problem) => Problem;
}

/** What a source gives, and what of it cannot be read at all. */
export interface Source {
  readonly values: readonly SourceValue[];
  readonly problems: readonly Problem[];
}
