/** What placeholders stand for while a scenario runs: outcomes by step id, captures, `thread`, `round`. */
import { given } from "../kernel/given.js";
import { valueAt } from "../kernel/json.js";
import type { Resolve, Template } from "./placeholders.js";
import { fillIn, template } from "./placeholders.js";
import type { ParsedStep } from "./step.js";
import { StepFailure } from "./step.js";

type Input = ParsedStep["input"];

/** Steps are executed often: their inputs are read once. */
const templates = new WeakMap<Input, Template>();

export class Values extends Map<string, unknown> {
  /** The rounds under way, the outermost first. */
  readonly rounds: number[] = [];
  readonly #resolve: Resolve = ({ text, name, path }) => {
    const outcome = this.get(name);
    const part = valueAt(outcome, path);
    if (part !== undefined) return part;
    throw new StepFailure(`\${${text}} stands for nothing`, given({ seen: outcome }));
  };

  /** The input of a step with its placeholders filled in. @throws StepFailure for one that stands for nothing */
  inputOf({ kind, input }: ParsedStep): Input {
    if (kind.verbatim) return input;
    const known = templates.get(input) ?? template(input);
    templates.set(input, known);
    return known(this.#resolve) as Input;
  }

  /** Executes steps for so many rounds, while all goes well; `round` stands for the number of the innermost round. */
  async repeat(
    times: number,
    steps: readonly ParsedStep[],
    execute: (steps: readonly ParsedStep[]) => Promise<boolean>,
  ): Promise<void> {
    if (steps.length === 0) return;
    const outer = this.get("round");
    let goesOn = true;
    for (let round = 1; round <= times && goesOn; round += 1) {
      this.set("round", round);
      this.rounds.push(round);
      goesOn = await execute(steps);
      this.rounds.pop();
    }
    this.set("round", outer);
  }

  /** A label with its placeholders filled in, as it is where one stands for nothing. */
  label(text: string): string {
    try {
      return String(fillIn(text, this.#resolve));
    } catch {
      return text;
    }
  }
}
