/** How a route of the control API is declared, and how its calls are recorded. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { BOUNDS } from "../kernel/bounds.js";
import type { HttpAnswer, JsonAnswer } from "../kernel/http/answer.js";
import type { Endpoint, MethodAndPath, PathParams, ValueOf } from "../kernel/http/endpoint.js";
import { methodAndPath } from "../kernel/http/endpoint.js";
import type { DescribedAnswer } from "../kernel/http/openapi.js";
import { CALL_MAKER_HEADER } from "../kernel/http/target.js";
import { omitUndefined } from "../kernel/objects.js";
import type { Infer, Schema } from "../kernel/schema.js";
import type { Cause } from "../sandbox/journal.js";
import { type ControlRecord, controlMakerOf } from "../sandbox/journal.js";
import { TextEntry } from "../sandbox/log.js";
import type { Run } from "../sandbox/run.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import type { Rule } from "../service/domain/transaction.js";
import type { CollectionName, Records } from "../service/world/records.js";
import type { ControlServices } from "./services.js";

/** A call of the control API that passed access checks and validation. */
export interface ControlCall<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The sandbox in the address; `default` for a route of the server. */
  readonly sandbox: Sandbox;
  /** The sandbox's run when the handler starts. */
  readonly run: Run;
  readonly services: ControlServices;
  /** The cause of the call's changes: the id of its future record. For handlers that change something. */
  cause(): Cause & { readonly id: string };
  /** The request; its body has been read if the route has a schema for it. */
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborted when the client disconnects. */
  gone(): AbortSignal;
}

/**
 * One route of the control API, declared once: routing, validation, types and descriptions derive from it. `handle` is a
 * method, so that routes with different types fit into one table: it receives what the route's own schemas accepted.
 */
export interface ControlRoute<Params = unknown, Query = unknown, Body = unknown> extends Endpoint {
  readonly path: string;
  /** Default: a route of a sandbox, which exists twice: for `default`, and below `/sandboxes/:sandbox`. */
  readonly scope?: "server";
  /** Accepts a body of any type, or none, which its handler reads. */
  readonly takesAnything?: boolean;
  /** The body may contain a whole world, as its `fixtures` or as the body itself, and may be larger. */
  readonly world?: "fixtures" | "body";
  /** Default: masked in the answer. `shown`: the answer is the stored state. `none`: it cannot hold any. */
  readonly secrets?: "shown" | "none";
  readonly bodyOptional?: boolean;
  readonly success: {
    readonly status: number;
    readonly schema: Schema;
    readonly contentType?: string | null;
    readonly description?: string;
  };
  /** Other answers than the success and refusals. */
  readonly others?: readonly DescribedAnswer[];
  /** Needs no token: `health`. `"programs"`: programs need neither a token nor a name of the server, browsers do: sinks. */
  readonly open?: true | "programs";
  /**
   * Whether a write below a sandbox is added to the log of control calls, from which recordings are made. Default: true.
   * `"call"`: without its answer, which repeats the body or lists a whole table. False: it changes no record, resets the
   * sandbox, or makes calls that are recorded themselves.
   */
  readonly recorded?: "call" | false;
  handle(call: ControlCall<Params, Query, Body>): HttpAnswer | Promise<HttpAnswer>;
}

/** A route with the types of its calls, for the client. They do not exist at run time. */
export interface TypedRoute<Line, Query, Body, Answer> extends ControlRoute {
  readonly "~call"?: {
    readonly line: Line;
    readonly query: Query;
    readonly body: Body;
    readonly answer: Answer;
  };
}

type RouteParts<P, Q, B, S> = Omit<ControlRoute<P, ValueOf<Q>, ValueOf<B>>, keyof Endpoint | "success"> &
  Pick<Endpoint, "summary"> & {
    readonly query?: Q;
    readonly body?: B;
    readonly success: ControlRoute["success"] & { readonly schema: S };
  };

/** Declares a route: path and schemas type the handler's call. */
export const route = <
  const Line extends MethodAndPath,
  const Q extends Schema | undefined = undefined,
  const B extends Schema | undefined = undefined,
  const S extends Schema = Schema,
>(
  id: string,
  line: Line,
  declared: RouteParts<PathParams<Line>, Q, B, S>,
): TypedRoute<Line, Q, B, Infer<S>> => ({ id, ...methodAndPath(line), ...declared });

/** The paths of a route below `/__sim`. */
export const pathsOf = ({ scope, path }: ControlRoute): string[] =>
  scope === "server" ? [path] : [path, `/sandboxes/:sandbox${path}`];

/** The group of a route in descriptions: the first segment of its path. */
export const tagOf = ({ path }: ControlRoute): string => path.split("/")[1]?.replace(/\..*$/, "") ?? "";

/** Runs a rule and answers with the record that it returns, as it is shown afterwards. */
export function changedRecord<C extends CollectionName, Input>(
  { run, cause }: Pick<ControlCall, "run" | "cause">,
  collection: C,
  rule: Rule<Input, Records[C]>,
  input: Input,
): JsonAnswer {
  const record = run.transact(cause(), rule, input);
  return { body: run.shown().show(collection, record) };
}

/** The prefix of a route's own path. */
const ABOVE_ROUTES = /^\/__sim(\/sandboxes\/[^/]+)?/;

/** Starts the record of a call on its receipt; the returned function writes it when the call has succeeded. */
export function beginRecord(
  { scope, method, recorded, success }: ControlRoute,
  { run: { clock, logs, signal }, body, request }: ControlCall,
  path: string,
): ((answer: HttpAnswer, bodyBytes: number) => void) | undefined {
  if (scope === "server" || method === "GET" || recorded === false) return undefined;
  const at = clock.now();
  const after = logs.journal.newestId;
  return (answer, bodyBytes) => {
    if (signal.aborted) return;
    // A longer body is not stored: serializing it again would block everybody.
    const isKept = bodyBytes > 0 && bodyBytes <= BOUNDS.recordedBytes.limit;
    const record = new TextEntry<ControlRecord>({
      id: logs.controls.nextId(),
      at,
      ...omitUndefined({ by: controlMakerOf(request.headers[CALL_MAKER_HEADER]) }),
      method,
      path: path.replace(ABOVE_ROUTES, ""),
      body: isKept ? (body ?? null) : null,
      status: ("status" in answer ? answer.status : undefined) ?? success.status,
      response: "body" in answer && recorded !== "call" ? (answer.body ?? null) : null,
      after,
    });
    logs.controls.add(record, record.bytes);
  };
}
