/** OpenAPI 3.1 of the control API, derived from the route table. */
import type { DescribedAnswer, DescribedOperation } from "../kernel/http/openapi.js";
import { openapiDocument } from "../kernel/http/openapi.js";
import { array, object, string, unknown } from "../kernel/schema.js";
import type { ControlRoute } from "./route.js";
import { pathsOf, tagOf } from "./route.js";
import { ROUTES } from "./routes/index.js";

const errorSchema = object(
  {
    error: object({
      code: string(),
      message: string(),
      details: array(object({ path: string(), message: string() }, { additionalProperties: true })),
    }),
  },
  { title: "ControlError", additionalProperties: true },
);

export const describeControlApi = (url: string): object =>
  openapiDocument({
    title: "messaging-sim control API",
    description:
      "Controls a running simulator from tests. Every sandbox route exists twice: for `default`, and below `/sandboxes/{sandbox}`. " +
      "Responses mask secrets, except where a route says that it shows them. With `?secrets=show`, callers with a control token see them everywhere but in the event stream, and so do callers on loopback if no control token is set. " +
      "A masked value that is written back is refused: leave it out to keep what is stored.",
    url,
    security: [{}, { controlToken: [] }],
    securitySchemes: { controlToken: { type: "http", scheme: "bearer" } },
    tags: [...new Set(ROUTES.map(tagOf))].map((name) => ({ name, description: `Routes at /__sim/${name}.` })),
    operations: ROUTES.flatMap(described),
  });

/** A route at each of its paths; a route for any method is described with POST, as webhooks are called. */
const described = (route: ControlRoute): DescribedOperation[] =>
  pathsOf(route).map((path) => ({
    ...route,
    id: path === route.path ? route.id : `${route.id}InSandbox`,
    tags: [tagOf(route)],
    description: `${route.summary}.${route.secrets === "shown" ? " Secrets in the answer are shown." : ""}`,
    method: route.method === "ANY" ? "POST" : route.method,
    path: `/__sim${path}`,
    ...(route.takesAnything && { body: unknown(), bodyType: "*/*" }),
    bodyRequired: route.bodyOptional !== true && route.takesAnything !== true,
    answers: answersOf(route),
  }));

/** The success, answers of its own, and the form of every refusal. */
const answersOf = ({ success, others = [] }: ControlRoute): DescribedAnswer[] => [
  { ...success, description: success.description ?? "Success" },
  ...others,
  ...(["4XX", "default"] as const).map((status) => {
    // A route that may answer with any status promises no body for any of them.
    const contentType = success.contentType === null ? null : undefined;
    return { status, description: "A refusal", schema: errorSchema, contentType };
  }),
];
