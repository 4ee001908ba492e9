/** What placeholders stand for while a scenario runs: outcomes by step id, captures, `thread`, `round`. */
import { fillIn, partOf, type Reference } from "./placeholders.js";
import { StepFailure } from "./step.js";

export class Values {
  readonly #values: Map<string, unknown>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = new Map(Object.entries(values));
  }

  get(name: string): unknown {
    return this.#values.get(name);
  }

  set(name: string, value: unknown): void {
    this.#values.set(name, value);
  }

  /** A value with its placeholders filled in. @throws StepFailure for one that stands for nothing */
  fill<T>(value: T): T {
    return fillIn(value, (reference) => this.#of(reference)) as T;
  }

  /** A label with its placeholders filled in, as it is where one stands for nothing. */
  label(text: string): string {
    try {
      return String(this.fill(text));
    } catch {
      return text;
    }
  }

  #of({ text, name, path }: Reference): unknown {
    const held = this.#values.get(name);
    const value = partOf(held, path);
    if (value !== undefined) return value;
    throw new StepFailure(`\${${text}} stands for nothing`, held === undefined ? {} : { seen: held });
  }
}
