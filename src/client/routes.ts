/** The calls of the control API, typed by its route table. Nothing in this file exists at run time. */
import type { TypedRoute } from "../control/route.js";
import type { ROUTES } from "../control/routes/index.js";
import type { DeepReadonly, Infer, InferInput, Schema } from "../kernel/schema.js";
import type { deliverySchema } from "../sandbox/deliveries.js";
import type { DeliveryRecord } from "./types.js";

type CallOf<R> =
  R extends TypedRoute<infer Line, infer Query, infer Body, infer Answer>
    ? { readonly line: Line; readonly query: Query; readonly body: Body; readonly answer: Answer }
    : never;
type Calls = CallOf<(typeof ROUTES)[number]>;
type CallAt<Line> = Extract<Calls, { readonly line: Line }>;

/** The method and the path of a route, such as `POST /threads/:id/window`. */
export type RouteLine = Calls["line"];

type DeliveryAnswer = Infer<typeof deliverySchema>;

/** The body of a successful answer. The schema of a delivery cannot express which body belongs to which event. */
type AnswerOf<Line> = CallAt<Line>["answer"] extends infer Answer
  ? Answer extends DeliveryAnswer
    ? DeliveryRecord
    : Answer extends DeliveryAnswer[]
      ? DeliveryRecord[]
      : Answer
  : never;

/** The query parameters of a route. Texts may be given as the values that they are written from. */
export type QueryOf<Line> = CallAt<Line>["query"] extends infer Q extends Schema
  ? {
      readonly [K in keyof InferInput<Q>]?:
        | InferInput<Q>[K]
        | (string extends InferInput<Q>[K] ? number : never)
        | undefined;
    }
  : undefined;

/** The body of a call; undefined fields are omitted. */
type BodyOf<Line> = CallAt<Line>["body"] extends infer B extends Schema
  ? DeepReadonly<Loose<InferInput<B>>>
  : undefined;

type Loose<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T]: T[K] | (Record<string, never> extends Pick<T, K> ? undefined : never) }
    : T;

type PathArguments<Path> = Path extends `${string}/:${string}/${infer Rest}`
  ? [part: string | number, ...PathArguments<`/${Rest}`>]
  : Path extends `${string}/:${string}`
    ? [part: string | number]
    : [];

type QueryArgument<Query> = [Query] extends [undefined] ? [] : [query?: Query];
type BodyArgument<Body> = [Body] extends [undefined]
  ? []
  : Record<string, never> extends Body
    ? [body?: Body]
    : [body: Body];

/** A method that calls a route, given the parts of its path in their order, then its query for GET, or else its body. */
export type RouteMethod<Line> = (
  ...given: [
    ...PathArguments<Line>,
    ...(Line extends `GET ${string}` ? QueryArgument<QueryOf<Line>> : BodyArgument<BodyOf<Line>>),
  ]
) => Promise<AnswerOf<Line>>;
