import type { IncomingHttpHeaders } from "node:http";
import type { RequestBody } from "../kernel/http/body.js";
import type { Endpoint, MethodAndPath, PathParams, ValueOf } from "../kernel/http/endpoint.js";
import { methodAndPath } from "../kernel/http/endpoint.js";
import type { Schema } from "../kernel/schema.js";
import type { JournalEntry } from "../sandbox/journal.js";
import type { TokenOwner } from "../sandbox/registry.js";
import type { OperationId } from "../service/behaviour/entry.js";
import type { AnswerKey, BehaviourKey, BehaviourValues } from "../service/behaviour/table.js";
import type { Caller } from "../service/domain/access.js";
import type { ServiceRefusalKey } from "../service/domain/refusals.js";
import type { Note, Rule, WorldView } from "../service/domain/transaction.js";

export type OutcomeName = "success" | "invalid" | ServiceRefusalKey;

export interface ServiceAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly behaviour?: BehaviourKey | undefined;
  /** The outcome; none if a fault or an internal error answers. */
  readonly outcome?: OutcomeName | undefined;
  /** Alternating names and values. */
  readonly headers?: readonly string[];
}

/** What a handler returns: a body, with status 200 by default, or a behaviour entry with the values of its placeholders. */
export type Success =
  | { readonly body: unknown; readonly status?: number }
  | { readonly answer: AnswerKey; readonly scope: Readonly<Record<string, unknown>> };

interface Refinement {
  readonly schema: Schema;
  readonly value: unknown;
  /** Where the part is in the body, such as `["variables"]`. */
  readonly at: readonly string[];
}

/** A call of an operation as it was received, with everything that decides about it. */
export interface IncomingCall {
  readonly operation: Operation;
  readonly params: Readonly<Record<string, string>>;
  readonly entry: JournalEntry;
  readonly owner: TokenOwner;
  /** The header `token`; undefined if there was none. */
  readonly token: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: RequestBody;
  /** The behaviour values, and the keys of those that the call has read. */
  readonly values: BehaviourValues;
  readonly consulted: readonly BehaviourKey[];
}

/** A call that has passed all checks. */
export interface CheckedCall<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly caller: Caller;
  readonly view: WorldView;
  /** Runs a rule: its writes, events and warnings belong to this call. */
  run<Input, Result>(rule: Rule<Input, Result>, input: Input): Result;
}

/**
 * One operation of the simulated API, declared once: routing, validation, types and every description derive from it.
 * `handle` and `refine` are methods, so that operations with different types fit into one table: they receive what the
 * operation's own schemas accepted.
 */
export interface Operation<Params = unknown, Query = unknown, Body = unknown> extends Endpoint {
  readonly method: "GET" | "POST";
  readonly section: string;
  readonly description?: string;
  /** A required permission, and the refusal of a token without it. */
  readonly permission?: { readonly name: string; readonly refusal: ServiceRefusalKey };
  readonly params?: Schema;
  /** The body of a success: its schema, or the behaviour entry that defines it. */
  readonly success: Schema | AnswerKey;
  /** The behaviour entries that decide the body of a success with a schema: an answer names the first that its call has read. */
  readonly decidedBy?: readonly BehaviourKey[];
  /** Another status of a success, and the behaviour entry that decides between both. */
  readonly otherStatus?: { readonly status: number; readonly behaviour: BehaviourKey };
  /** Refusals of this operation's rules, besides those of every operation. */
  readonly refusals: readonly ServiceRefusalKey[];
  readonly example?: unknown;
  /** A contract warning that every call of the operation gets. */
  readonly deprecated?: Note;
  /** The form of refusals, for an operation that has its own. */
  readonly failure?: {
    readonly schema: Schema;
    readonly write: (answer: ServiceAnswer, values: BehaviourValues) => ServiceAnswer;
  };
  /** A part of the body with its own schema, which other parts of the body name. */
  refine?(body: unknown): Refinement | undefined;
  handle(call: CheckedCall<Params, Query, Body>): Success | Promise<Success>;
}

type DeclaredOperation<P, Q, B> = Omit<Operation<P, ValueOf<Q>, ValueOf<B>>, keyof Endpoint> &
  Pick<Endpoint, "summary"> & { readonly query?: Q; readonly body?: B };

/** Declares an operation: path and schemas type the handler's call, the id types the result. */
export const operation = <
  const Id extends OperationId,
  const Line extends MethodAndPath<"GET" | "POST">,
  const Q extends Schema | undefined = undefined,
  const B extends Schema | undefined = undefined,
>(
  id: Id,
  line: Line,
  declared: DeclaredOperation<PathParams<Line>, Q, B>,
): Operation & { readonly id: Id } => ({ id, ...methodAndPath(line), ...declared });
