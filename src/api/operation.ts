import type { Endpoint, MethodAndPath, PathParams, ValueOf } from "../kernel/http/endpoint.js";
import { methodAndPath } from "../kernel/http/endpoint.js";
import type { Schema } from "../kernel/schema.js";
import type { Answer, OperationId } from "../service/behaviour/entry.js";
import type { AnswerKey, BehaviourKey, BehaviourValues } from "../service/behaviour/table.js";
import type { Caller } from "../service/domain/access.js";
import type { ServiceRefusalKey } from "../service/domain/refusals.js";
import type { Note, Rule, WorldView } from "../service/domain/transaction.js";

/** What a call comes to: success, a request that is not valid, or a refusal. */
export type Outcome = "success" | "invalid" | ServiceRefusalKey;

/** A whole answer of the simulated API. */
export interface ApiAnswer extends Answer {
  /** The key of the behaviour table that decided it. */
  readonly behaviour?: BehaviourKey | undefined;
  /** Which of the operation's answers it is; none where a fault or a failure of the simulator answers. */
  readonly outcome?: Outcome | undefined;
  /** Further headers, as a flat list of names and values. */
  readonly headers?: readonly string[];
}

/** What a handler answers: a body, with status 200 if it names none, or an entry of the behaviour table with what fills its placeholders. */
export type Success =
  | { readonly body: unknown; readonly status?: number; readonly behaviour?: BehaviourKey }
  | { readonly answer: AnswerKey; readonly scope: Readonly<Record<string, unknown>> };

interface Refinement {
  readonly schema: Schema;
  readonly value: unknown;
  /** Where the part stands, such as `@.variables`. */
  readonly property: string;
}

export interface Call<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly caller: Caller;
  readonly view: WorldView;
  /** Runs a rule: its writes, events and warnings belong to this call. */
  run<Input, Result>(rule: Rule<Input, Result>, input: Input): Result;
}

/** A permission that an operation needs, and what a token without it gets. */
interface Permission {
  readonly name: string;
  readonly refusal: ServiceRefusalKey;
}

/** How an operation that has a form of its own answers refusals. */
export interface FailureForm {
  readonly schema: Schema;
  readonly write: (answer: ApiAnswer, values: BehaviourValues) => ApiAnswer;
}

/**
 * One operation of the simulated API, declared once: routing, validation, types and every description come from it.
 * `handle` and `refine` are methods, so that operations with parts of all types fit one table: the pipeline gives them
 * what the operation's own schemas accepted.
 */
export interface Operation<Params = unknown, Query = unknown, Body = unknown> extends Endpoint {
  readonly method: "GET" | "POST";
  readonly section: string;
  readonly description?: string;
  readonly permission?: Permission;
  readonly params?: Schema;
  /** The body of a success: its schema, or the entry of the behaviour table that decides it. */
  readonly success: Schema | AnswerKey;
  /** The entry of the behaviour table that decides the form of a success with a schema, where one does. */
  readonly successForm?: BehaviourKey;
  /** What the rules of this operation may refuse, beside what every operation may. */
  readonly refusals: readonly ServiceRefusalKey[];
  readonly example?: unknown;
  /** Names a contract warning that each call of the operation gets. */
  readonly deprecated?: Note;
  readonly failure?: FailureForm;
  /** Whether the specification shows the 400 of a request that is not valid; elsewhere `errors.validation` decides its form. */
  readonly showsInvalid?: true;
  /** The part of a body that another schema checks, once the body's own schema accepts it. */
  refine?(body: Body): Refinement;
  handle(call: Call<Params, Query, Body>): Success | Promise<Success>;
}

type Declared<P, Q, B> = Omit<Operation<P, ValueOf<Q>, ValueOf<B>>, keyof Endpoint> &
  Pick<Endpoint, "summary"> & { readonly query?: Q; readonly body?: B };

/** Declares an operation; the handler's call is typed by path and schemas, the result by its id. */
export const operation = <
  const Id extends OperationId,
  const Line extends MethodAndPath<"GET" | "POST">,
  const Q extends Schema | undefined = undefined,
  const B extends Schema | undefined = undefined,
>(
  id: Id,
  line: Line,
  declared: Declared<PathParams<Line>, Q, B>,
): Operation & { readonly id: Id } => ({ id, ...methodAndPath(line), ...declared });
