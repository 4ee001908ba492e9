/** OpenAPI 3.1 of the control API, derived from the route table. */
import type { Schema } from "../kernel/schema.js";
import { array, object, published, string } from "../kernel/schema.js";
import { VERSION } from "../kernel/version.js";
import type { ControlRoute } from "./route.js";
import { ROUTES } from "./routes/index.js";

const JSON_TYPE = "application/json";
const PREFIX = "/__sim";
const IN_SANDBOX = "/sandboxes/{sandbox}";

/** Contract section 5: the form of every refusal. */
export const errorSchema = object(
  {
    error: object({
      code: string(),
      message: string(),
      details: array(object({ path: string(), message: string() })),
    }),
  },
  { title: "ControlError", additionalProperties: true },
);

/** @param url the address at which the description says that the API is */
export function controlApiOf(url: string): unknown {
  const paths: Record<string, Record<string, unknown>> = {};
  const schemas: Record<string, unknown> = {};
  for (const route of ROUTES) {
    const path = route.path.replace(/:(\w+)/g, "{$1}");
    for (const [at, suffix] of placesOf(route, path)) {
      const methods = route.method === "ANY" ? ["get", "post"] : [route.method.toLowerCase()];
      const operations = methods.map((method) => [
        method,
        operationOf(route, schemas, at, suffix + (methods.length > 1 ? `_${method}` : "")),
      ]);
      paths[PREFIX + at] = { ...paths[PREFIX + at], ...Object.fromEntries(operations) };
    }
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "messaging-sim control API",
      version: VERSION,
      description:
        "The tests' hand on a running simulator. Every route of a sandbox exists twice: for `default`, and below `/sandboxes/{sandbox}`.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url }],
    security: [{}, { controlToken: [] }],
    paths,
    components: { schemas, securitySchemes: { controlToken: { type: "http", scheme: "bearer" } } },
  };
}

const placesOf = (route: ControlRoute, path: string): [path: string, suffix: string][] =>
  route.scope === "sandbox"
    ? [
        [path, ""],
        [`${IN_SANDBOX}${path}`, "_inSandbox"],
      ]
    : [[path, ""]];

function operationOf(
  route: ControlRoute,
  schemas: Record<string, unknown>,
  path: string,
  suffix: string,
): unknown {
  const { success, refusals = {}, refusalSchemas = {}, body, bodyOptional } = route;
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const statuses = {
    400: "The input is not usable",
    401: "The control token is missing or wrong",
    ...refusals,
  };
  const sandboxed = path.includes("{") ? { 404: "There is no such thing", ...refusals } : refusals;
  return {
    operationId: route.id + suffix,
    summary: route.summary,
    parameters: [...parameters, ...queryOf(route.query)],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: bodyOptional !== true,
            content: { [JSON_TYPE]: { schema: published(body, schemas) } },
          },
        }),
    responses: {
      [success.status]: {
        description: "Success",
        content: { [success.contentType ?? JSON_TYPE]: { schema: published(success.schema, schemas) } },
      },
      ...Object.fromEntries(
        Object.entries({ ...statuses, ...sandboxed }).map(([status, description]) => [
          status,
          {
            description,
            content: {
              [JSON_TYPE]: { schema: published(refusalSchemas[Number(status)] ?? errorSchema, schemas) },
            },
          },
        ]),
      ),
    },
  };
}

function queryOf(schema: Schema | undefined): unknown[] {
  if (schema === undefined) return [];
  const required = (schema.required ?? []) as string[];
  return Object.entries((schema.properties ?? {}) as Record<string, Schema>).map(([name, property]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema: published(property),
  }));
}
