/** How a route of the control API is declared, and how its calls are recorded. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { BOUNDS } from "../kernel/bounds.js";
import type { HttpAnswer, JsonAnswer } from "../kernel/http/answer.js";
import type { Endpoint, MethodAndPath, PathParams, ValueOf } from "../kernel/http/endpoint.js";
import { methodAndPath } from "../kernel/http/endpoint.js";
import type { DescribedAnswer } from "../kernel/http/openapi.js";
import { queryOf } from "../kernel/http/target.js";
import { omitUndefined } from "../kernel/objects.js";
import type { Infer, Schema } from "../kernel/schema.js";
import type { Cause } from "../sandbox/journal.js";
import { controlMakerOf, KeptControlRecord } from "../sandbox/journal.js";
import type { Run } from "../sandbox/run.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import type { Rule } from "../service/domain/transaction.js";
import type { CollectionName, Records } from "../service/world/records.js";
import type { ControlErrorKey } from "./errors.js";
import type { ControlServices } from "./services.js";

/** A call of the control API that passed access and validation. */
export interface ControlCall<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The sandbox that the address names; `default` for a route of the server. */
  readonly sandbox: Sandbox;
  /** The sandbox's run as the handler begins. */
  readonly run: Run;
  readonly services: ControlServices;
  /** The cause of what the call changes: the id that its record will have. For handlers that change something. */
  cause(): Cause & { readonly id: string };
  /** The request; its body is read already where the route has a schema of it. */
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The call asked for secrets and may see them. */
  readonly showsSecrets: boolean;
  /** A signal that is aborted when the client goes away: nobody wants the answer any more. */
  gone(): AbortSignal;
}

/**
 * One route of the control API, declared once: routing, validation, types and descriptions come from it. `handle` is a
 * method, so that routes with parts of all types fit one table: the application gives it what the route's own schemas
 * accepted.
 */
export interface ControlRoute<Params = unknown, Query = unknown, Body = unknown> extends Endpoint {
  readonly path: string;
  /** Left out: a route of a sandbox, which exists twice: for `default`, and below `/sandboxes/:sandbox`. */
  readonly scope?: "server";
  /** Takes a body of any type, or none, which its handler reads. */
  readonly takesAnything?: boolean;
  /** A whole world may stand in the body: below its `fixtures`, or as the body itself. It may be larger then. */
  readonly world?: "fixtures" | "body";
  /** Its answer stays readable: it shows the state, or is masked by itself. All others are masked. */
  readonly readable?: true;
  /** What masked texts of the body are looked for in, where it has been read masked and is written back. */
  readonly stored?: (run: Run) => readonly unknown[];
  readonly bodyOptional?: boolean;
  readonly success: {
    readonly status: number;
    readonly schema: Schema;
    readonly contentType?: string | null;
    readonly description?: string;
  };
  /** What it may refuse, beside unusable input and what every route may. */
  readonly refusals?: readonly ControlErrorKey[];
  /** Answers beside the success that are no plain errors. */
  readonly others?: readonly DescribedAnswer[];
  /** Needs no token: `health`. `"programs"`: nor a name of the server, but from browsers: sinks. */
  readonly open?: true | "programs";
  /**
   * Whether a write below a sandbox stands in the log of control calls, which recordings are made of. Left out: it does.
   * `"call"`: without its answer, which repeats the body or lists a whole table. False: it does not, because it changes no
   * record, resets the sandbox, or makes calls that are recorded themselves.
   */
  readonly recorded?: "call" | false;
  handle(call: ControlCall<Params, Query, Body>): HttpAnswer | Promise<HttpAnswer>;
}

/** A route with the types of a call of it, which the client takes from here. Nothing of them is left at run time. */
export interface TypedRoute<Line, Query, Body, Answer> extends ControlRoute {
  readonly "~call"?: {
    readonly line: Line;
    readonly query: Query;
    readonly body: Body;
    readonly answer: Answer;
  };
}

type Declared<P, Q, B, S> = Omit<ControlRoute<P, ValueOf<Q>, ValueOf<B>>, keyof Endpoint | "success"> &
  Pick<Endpoint, "summary"> & {
    readonly query?: Q;
    readonly body?: B;
    readonly success: ControlRoute["success"] & { readonly schema: S };
  };

/** Declares a route; the handler's call is typed by path and schemas. */
export const route = <
  const Line extends MethodAndPath,
  const Q extends Schema | undefined = undefined,
  const B extends Schema | undefined = undefined,
  const S extends Schema = Schema,
>(
  id: string,
  line: Line,
  declared: Declared<PathParams<Line>, Q, B, S>,
): TypedRoute<Line, Q, B, Infer<S>> => ({ id, ...methodAndPath(line), ...declared });

/** The paths of a route below `/__sim`. */
export const pathsOf = ({ scope, path }: ControlRoute): string[] =>
  scope === "server" ? [path] : [path, `/sandboxes/:sandbox${path}`];

/** The group of a route in descriptions: the first segment of its path. */
export const tagOf = ({ path }: ControlRoute): string => path.split("/")[1]?.replace(/\..*$/, "") ?? "";

/** Runs a rule and replies with the record that it returns, as readers see it afterwards. */
export function changedRecord<C extends CollectionName, Input>(
  { run, cause }: Pick<ControlCall, "run" | "cause">,
  collection: C,
  rule: Rule<Input, Records[C]>,
  input: Input,
): JsonAnswer {
  const record = run.transact(cause(), rule, input);
  return { body: run.shown().show(collection, record) };
}

/** A body whose text is longer is not kept: making its text anew would hold up everybody. */
const MAX_KEPT_BYTES = BOUNDS.recordedBytes.limit;

/** What stands in front of a route's own path. */
const ABOVE_ROUTES = /^\/__sim(\/sandboxes\/[^/]+)?/;

interface HandledCall {
  readonly path: string;
  readonly query: string;
  readonly body: unknown;
  /** The length of the body's text; 0 where it was left out. */
  readonly bytes: number;
  readonly answer: HttpAnswer;
}

const isRecorded = ({ scope, method, recorded }: ControlRoute): boolean =>
  scope !== "server" && method !== "GET" && recorded !== false;

/**
 * Begins the record of a call on its receipt. The function that it returns writes the record when the call has succeeded,
 * unless its route is left out or a reset has overtaken the call. `maker` is what the call's header says of who made it.
 */
export function beginRecord(run: Run, route: ControlRoute, maker: unknown): (call: HandledCall) => void {
  if (!isRecorded(route)) return () => {};
  const { clock, logs, signal } = run;
  const at = clock.now();
  const after = logs.journal.newestId;
  return ({ path, query, body, bytes, answer }) => {
    if (signal.aborted) return;
    const record = new KeptControlRecord({
      id: logs.controls.nextId(),
      at,
      ...omitUndefined({ by: controlMakerOf(maker) }),
      method: route.method,
      path: path.replace(ABOVE_ROUTES, ""),
      query: queryOf(query),
      body: bytes === 0 || bytes > MAX_KEPT_BYTES ? null : (body ?? null),
      status: ("status" in answer ? answer.status : undefined) ?? route.success.status,
      response: "body" in answer && route.recorded !== "call" ? (answer.body ?? null) : null,
      after,
    });
    logs.controls.add(record, record.cost);
  };
}
