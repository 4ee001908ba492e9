/** OpenAPI 3.1 of the control API, derived from the route table. */
import type { DescribedAnswer, DescribedOperation } from "../http/openapi.js";
import { openapiDocument } from "../http/openapi.js";
import { array, object, string } from "../kernel/schema.js";
import type { ControlErrorKey } from "./errors.js";
import { controlErrorEntry, ERROR_CODES } from "./errors.js";
import type { ControlRoute } from "./route.js";
import { pathsOf } from "./route.js";
import { ROUTES } from "./routes/index.js";

/** Contract section 5: the form of every refusal. */
const errorSchema = object(
  {
    error: object({
      code: string(),
      message: string(),
      details: array(object({ path: string(), message: string() })),
    }),
  },
  { title: "ControlError", additionalProperties: true },
);

/** @param url the server's address, for `servers` */
export const controlApiOf = (url: string): object =>
  openapiDocument({
    title: "messaging-sim control API",
    description:
      "The tests' hand on a running simulator. Every route of a sandbox exists twice: for `default`, and below `/sandboxes/{sandbox}`.",
    url,
    security: [{}, { controlToken: [] }],
    securitySchemes: { controlToken: { type: "http", scheme: "bearer" } },
    operations: ROUTES.flatMap(described),
  });

/** A route at each of its paths; one that takes any method as GET and POST. */
const described = (route: ControlRoute): DescribedOperation[] =>
  pathsOf(route).flatMap((path) => {
    const methods = route.method === "ANY" ? (["GET", "POST"] as const) : [route.method];
    return methods.map((method) => ({
      ...route,
      id: operationId(route, path, methods.length > 1 ? method : ""),
      method,
      path: `/__sim${path}`,
      bodyRequired: route.bodyOptional !== true,
      answers: answersOf(route, path),
    }));
  });

/** In camel case: `getState`, `getStateInSandbox`, `sinkInSandboxPost`. */
const operationId = ({ id, path: own }: ControlRoute, path: string, method: string): string =>
  id + (path === own ? "" : "InSandbox") + method.charAt(0) + method.slice(1).toLowerCase();

/** The refusals that any route may answer. */
const GENERAL = ["input.unusable", "access.unauthorized"] as const;

function answersOf(route: ControlRoute, path: string): DescribedAnswer[] {
  const { path: own, success, refusals = [], others = [] } = route;
  const inSandbox: readonly ControlErrorKey[] = path === own ? [] : ["sandboxes.notFound"];
  return [
    { ...success, description: "Success" },
    ...[...GENERAL, ...inSandbox, ...refusals].map(describedError),
    ...others,
  ];
}

function describedError(key: ControlErrorKey): DescribedAnswer {
  const { code, when } = controlErrorEntry(key);
  return { status: ERROR_CODES[code], description: when, schema: errorSchema };
}
