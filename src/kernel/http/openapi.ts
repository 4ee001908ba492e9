/** OpenAPI 3.1 of a table of endpoints. */
import { omitUndefined } from "../objects.js";
import { ORIGIN } from "../packages.js";
import type { Schema } from "../schema.js";
import { Components, published } from "../schema.js";
import type { Endpoint } from "./endpoint.js";

const JSON_TYPE = "application/json";

interface ApiDescription {
  readonly title: string;
  readonly description: string;
  readonly url: string;
  readonly security: readonly object[];
  readonly securitySchemes: object;
  readonly tags?: readonly { readonly name: string; readonly description: string }[];
  readonly operations: readonly DescribedOperation[];
}

export interface DescribedOperation extends Endpoint {
  readonly description?: string | undefined;
  readonly tags?: readonly string[];
  readonly deprecated?: boolean;
  /** The schemas of the path's parameters; any other parameter is a string. */
  readonly params?: Schema | undefined;
  readonly bodyRequired?: boolean;
  readonly bodyType?: string | undefined;
  readonly example?: unknown;
  readonly answers: readonly DescribedAnswer[];
  readonly headers?: object;
}

/** One case of an operation's response; several may share a status. */
export interface DescribedAnswer {
  /** `default`: any status that no other case has. */
  readonly status: number | "default" | "4XX";
  readonly description: string;
  /** Without it, nothing is promised about the body. */
  readonly schema?: Schema | undefined;
  /** Default: JSON. Null: nothing is promised about the type either, and there may be no body. */
  readonly contentType?: string | null | undefined;
  readonly example?: { readonly name: string; readonly summary: string; readonly value: unknown } | undefined;
}

export function openapiDocument(api: ApiDescription): object {
  const { title, description, url, security, securitySchemes, tags } = api;
  const components = new Components();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of api.operations) {
    const path = operation.path.replace(/:(\w+)/g, "{$1}");
    const method = operation.method.toLowerCase();
    paths[path] = { ...paths[path], [method]: operationObject(operation, components) };
  }
  return {
    openapi: "3.1.0",
    info: { title, description, ...ORIGIN },
    servers: [{ url }],
    security,
    ...omitUndefined({ tags }),
    paths,
    components: { schemas: components.schemas, securitySchemes },
  };
}

function operationObject(operation: DescribedOperation, components: Components): object {
  const { id, summary, description, tags, deprecated, path, params, query, body, example } = operation;
  const content = body && { schema: published(body, components), ...omitUndefined({ example }) };
  const requestBody = content && {
    required: operation.bodyRequired ?? true,
    content: { [operation.bodyType ?? JSON_TYPE]: content },
  };
  return {
    operationId: id,
    ...omitUndefined({ summary, description, tags, deprecated: deprecated || undefined }),
    parameters: [...pathParameters(path, params), ...queryParameters(query)],
    ...omitUndefined({ requestBody }),
    responses: responsesObject(operation, components),
  };
}

function responsesObject({ answers, headers }: DescribedOperation, components: Components): object {
  return Object.fromEntries(
    answers.map(({ status }) => {
      const cases = answers.filter((answer) => answer.status === status);
      const description = cases.map((answer) => answer.description).join("\n\n");
      const content = contentObject(cases, components);
      return [status, { description, ...omitUndefined({ headers, content }) }];
    }),
  );
}

/** The schemas of the responses with one status, by content type; undefined if a case may have any type or no body. */
function contentObject(cases: readonly DescribedAnswer[], components: Components): object | undefined {
  const types = new Set(cases.map(({ contentType = JSON_TYPE }) => contentType));
  if (types.has(null)) return undefined;
  return Object.fromEntries(
    [...types].map((type) => {
      const ofType = cases.filter(({ contentType = JSON_TYPE }) => contentType === type);
      const schema = published(anyOfAll(ofType.map((answer) => answer.schema)), components);
      return [type, { schema, ...examplesObject(ofType) }];
    }),
  );
}

/** One schema for bodies that match any of several; a case without a schema matches every body. */
function anyOfAll(schemas: readonly (Schema | undefined)[]): Schema {
  if (schemas.includes(undefined)) return {};
  const distinct = new Map(schemas.map((schema = {}) => [JSON.stringify(schema), schema]));
  const [first = {}, ...more] = distinct.values();
  return more.length === 0 ? first : { anyOf: [first, ...more] };
}

function examplesObject(cases: readonly DescribedAnswer[]): object {
  const examples = cases.flatMap(({ example }) => example ?? []);
  if (examples.length === 0) return {};
  return { examples: Object.fromEntries(examples.map(({ name, ...example }) => [name, example])) };
}

export const propertiesOf = (schema: Schema | undefined): Readonly<Record<string, Schema>> =>
  schema?.properties ?? {};

const pathParameters = (path: string, params: Schema | undefined): object[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema: published(propertiesOf(params)[name] ?? { type: "string" }),
  }));

const queryParameters = (query: Schema | undefined): object[] =>
  Object.entries(propertiesOf(query)).map(([name, property]) => ({
    name,
    in: "query",
    required: query?.required?.includes(name) === true,
    schema: published(property),
  }));
