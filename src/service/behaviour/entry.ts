import type { Infer, Schema } from "../../kernel/schema.js";
import { array, integer, object, oneOf, string, unknown } from "../../kernel/schema.js";

/** Where the value of an entry comes from: the specification, our own assumption, or a need of simulating. */
export const SOURCES = ["documented", "assumed", "simulator"] as const;
type Source = (typeof SOURCES)[number];

/** One question that the specification leaves open, with the answer that the simulator gives. */
export interface Entry<T = unknown> {
  /** The section of the specification that leaves the question open. */
  readonly section: string;
  readonly question: string;
  readonly schema: Schema<T>;
  /** The value of the profile `documented`: promises nothing that the specification does not state. */
  readonly default: T;
  /** The value of the profile `realistic`, where a service of this kind usually does more. */
  readonly realistic?: T;
  readonly source: Source;
}

type Fields<T> = Omit<Entry, "schema" | "default" | "realistic" | "source"> & {
  readonly schema: Schema<T>;
  readonly default: NoInfer<T>;
  readonly realistic?: NoInfer<T>;
  readonly source?: Source;
};

export const entry = <T>(fields: Fields<T>): Entry<T> => ({ source: "assumed", ...fields });

/** One of a few words. */
export const choice = <const V extends readonly string[]>(...values: V): Schema<V[number]> => oneOf(values);

/** A whole answer. `${…}` in the body is replaced by what the call made or met. */
export const answerSchema = object({
  status: integer({ minimum: 200, maximum: 599 }),
  body: unknown({ description: "any JSON; ${…} placeholders are filled in" }),
});
export type Answer = Infer<typeof answerSchema>;

export const answer = (
  section: string,
  question: string,
  status: number,
  body: unknown,
  source: Source = "assumed",
): Entry<Answer> => entry({ section, question, schema: answerSchema, default: { status, body }, source });

/** Names and addresses: every call may be compared with all of them. */
export const word = (keywords = {}) => string({ minLength: 1, maxLength: 1_000, ...keywords });
export const words = () => array(word(), { maxItems: 1_000, uniqueItems: true });
