/** What placeholders stand for while a scenario runs: outcomes by step id, captures, `thread`, `round`. */
import { given } from "../kernel/given.js";
import { valueAt } from "../kernel/json.js";
import { fillIn } from "./placeholders.js";
import { StepFailure } from "./step.js";

export class Values extends Map<string, unknown> {
  /** A value with its placeholders filled in. @throws StepFailure for one that stands for nothing */
  fill<T>(value: T): T {
    return fillIn(value, ({ text, name, path }) => {
      const outcome = this.get(name);
      const part = valueAt(outcome, path);
      if (part !== undefined) return part;
      throw new StepFailure(`\${${text}} stands for nothing`, given({ seen: outcome }));
    }) as T;
  }

  /** A label with its placeholders filled in, as it is where one stands for nothing. */
  label(text: string): string {
    try {
      return String(this.fill(text));
    } catch {
      return text;
    }
  }
}
