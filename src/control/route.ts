import type { IncomingMessage, ServerResponse } from "node:http";
import type { Infer, Schema } from "../kernel/schema.js";
import type { Cause, Run } from "../sandbox/run.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import type { ControlServices } from "./services.js";

/** What a control route answers; without `status` 200. */
export interface ControlReply {
  readonly status?: number;
  readonly body: unknown;
}

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
  /** What the call causes is traced to it. Only routes that change something ask for it. */
  cause(): Cause;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export type ControlMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "ANY";

/** One route of the control API, declared once: routing, validation, types and descriptions come from it. */
export interface ControlRoute {
  readonly id: string;
  readonly method: ControlMethod;
  /** Below `/__sim`. */
  readonly path: string;
  /** A route of a sandbox exists twice: for `default`, and below `/sandboxes/:sandbox`. */
  readonly scope: "server" | "sandbox";
  readonly summary: string;
  readonly query?: Schema;
  readonly body?: Schema;
  /** A body may be left out. */
  readonly bodyOptional?: boolean;
  readonly success: { readonly status: number; readonly schema: Schema; readonly contentType?: string };
  /** Statuses of refusals beside 400 and 401, each with when it comes. */
  readonly refusals?: Readonly<Record<number, string>>;
  /** Schemas of refusals that say more than the usual error. */
  readonly refusalSchemas?: Readonly<Record<number, Schema>>;
  /** Needs neither token nor origin: `health` and sinks. */
  readonly open?: boolean;
  /** The handler writes the response by itself. The body is not read for it unless it has a schema. */
  readonly raw?: boolean;
  readonly handle: (
    call: ControlCall<never, never, never>,
  ) => ControlReply | void | Promise<ControlReply | void>;
}

type Part<S> = S extends Schema ? Infer<S> : undefined;
/** The names of the `:segments` of a path. */
type ParamsOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { readonly [K in Name]: string } & ParamsOf<Rest>
  : Path extends `${string}:${infer Name}`
    ? { readonly [K in Name]: string }
    : unknown;

/** Declares a route; the handler's call is typed by path and schemas. */
export function route<
  const Path extends string,
  const Q extends Schema | undefined,
  const B extends Schema | undefined,
>(
  declared: Omit<ControlRoute, "path" | "query" | "body" | "handle"> & {
    readonly path: Path;
    readonly query?: Q;
    readonly body?: B;
    readonly handle: (
      call: ControlCall<ParamsOf<Path>, Part<Q>, Part<B>>,
    ) => ControlReply | void | Promise<ControlReply | void>;
  },
): ControlRoute {
  return declared as unknown as ControlRoute;
}
