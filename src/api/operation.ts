import type { AnswerKey, BehaviourValues } from "../behaviour/table.js";
import type { Caller } from "../domain/access.js";
import type { RefusalKey } from "../domain/refusal.js";
import type { Note, Rule, WorldView } from "../domain/transaction.js";
import type { Infer, Schema } from "../kernel/schema.js";
import { object } from "../kernel/schema.js";
import type { ApiAnswer } from "./answers.js";
import type { GraphqlBody } from "./graphql/execute.js";

/** What a handler answers: a body with status 200, or an entry of the behaviour table with what fills its placeholders. */
export type Reply =
  | { readonly body: unknown; readonly behaviour?: string; readonly status?: number }
  | { readonly answer: AnswerKey; readonly scope: Readonly<Record<string, unknown>> };

/** What handlers need beside the world. */
export interface ApiServices {
  readonly graphql: { run(call: Call, body: GraphqlBody): Promise<Reply> };
}

/** A second check, of a part of the body, by a schema that depends on the body. */
export interface Refinement {
  readonly schema: Schema;
  readonly value: unknown;
  /** Where the part stands, such as `@.variables`. */
  readonly property: string;
}

/** One call that passed authentication and validation. */
export interface Call<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly caller: Caller;
  readonly services: ApiServices;
  /** A view of the world for reading. */
  readonly view: WorldView;
  /** Runs a rule: its writes, events and warnings belong to this call. */
  run<Input, Result>(rule: Rule<Input, Result>, input: Input): Result;
}

/** A permission that an operation needs, and what a token without it gets. */
export interface Permission {
  readonly name: string;
  readonly refusal: AnswerKey;
}

/** One operation of the simulated API, declared once: routing, validation, types and every description come from it. */
export interface Operation {
  readonly id: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  /** The section of the specification that describes it. */
  readonly section: string;
  readonly summary: string;
  readonly description?: string;
  readonly permission?: Permission;
  readonly params?: Schema;
  readonly query?: Schema;
  readonly body?: Schema;
  /** The body of a success: its schema, or the entry of the behaviour table that decides it. */
  readonly success: Schema | AnswerKey;
  /** What the rules of this operation may refuse, beside what every operation may. */
  readonly refusals: readonly RefusalKey[];
  /** An example of a request body. */
  readonly example?: unknown;
  /** Names a contract warning that each call of the operation gets. */
  readonly deprecated?: Note;
  /** The part of a body that another schema checks, once the body's own schema accepts it. */
  readonly refine?: (body: never) => Refinement;
  /** The body of a refusal, where the operation has a form of its own, and the answer in that form. */
  readonly failure?: Schema;
  readonly failed?: (answer: ApiAnswer, behaviour: BehaviourValues) => ApiAnswer;
  readonly handle: (call: Call<never, never, never>) => Reply | Promise<Reply>;
}

type Part<S> = S extends Schema ? Infer<S> : undefined;

/** Declares an operation; the handler's call is typed by the schemas, the result by its id. */
export function operation<
  const Id extends string,
  const P extends Schema | undefined,
  const Q extends Schema | undefined,
  const B extends Schema | undefined,
>(
  declared: Omit<Operation, "id" | "params" | "query" | "body" | "handle" | "refine"> & {
    readonly id: Id;
    readonly refine?: (body: Part<B>) => Refinement;
    readonly params?: P;
    readonly query?: Q;
    readonly body?: B;
    readonly handle: (call: Call<Part<P>, Part<Q>, Part<B>>) => Reply | Promise<Reply>;
  },
): Operation & { readonly id: Id } {
  return declared as unknown as Operation & { readonly id: Id };
}

/** The answer to a success that the specification does not show: nothing is promised of it. */
export const emptyObject = object({}, { additionalProperties: true });
