/** OpenAPI 3.1 of the simulated API, derived from the operation table. */
import type { Schema } from "../kernel/schema.js";
import { published } from "../kernel/schema.js";
import { VERSION } from "../kernel/version.js";
import type { Operation } from "./operation.js";
import { OPERATIONS } from "./operations/index.js";
import { type PossibleAnswer, possibleAnswers } from "./responses.js";

const JSON_TYPE = "application/json";

/** @param url the address at which the description says that the API is */
export function openapiOf(url: string): unknown {
  const paths: Record<string, Record<string, unknown>> = {};
  const schemas: Record<string, unknown> = {};
  for (const operation of OPERATIONS as readonly Operation[]) {
    const path = operation.path.replace(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: operationOf(operation, schemas) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Customer Messaging Integration API (simulated)",
      version: VERSION,
      description:
        "Conversations, messaging windows, templates, customer profiles, users and webhooks of one organization.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url }],
    security: [{ token: [] }],
    tags: [...new Set(OPERATIONS.map(tagOf))].map((name) => ({ name })),
    paths,
    components: { schemas, securitySchemes: { token: { type: "apiKey", in: "header", name: "token" } } },
  };
}

const tagOf = ({ section }: Pick<Operation, "section">): string => section.split(" / ").at(-1) as string;

function operationOf(operation: Operation, schemas: Record<string, unknown>): unknown {
  const { id, summary, description, section, body, deprecated, example } = operation;
  return {
    operationId: id,
    summary,
    description: [description, `Specification: ${section}.`].filter(Boolean).join("\n\n"),
    tags: [tagOf(operation)],
    ...(deprecated === undefined ? {} : { deprecated: true }),
    parameters: [...parametersOf(operation.params, "path"), ...parametersOf(operation.query, "query")],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: body.required !== undefined,
            content: {
              [JSON_TYPE]: {
                schema: published(body, schemas),
                ...(example === undefined ? {} : { example }),
              },
            },
          },
        }),
    responses: responsesOf(operation, schemas),
  };
}

function parametersOf(schema: Schema | undefined, where: "path" | "query"): unknown[] {
  if (schema === undefined) return [];
  const required = (schema.required ?? []) as string[];
  return Object.entries(schema.properties as Record<string, Schema>).map(([name, property]) => ({
    name,
    in: where,
    required: where === "path" || required.includes(name),
    schema: published(property),
  }));
}

function responsesOf(operation: Operation, schemas: Record<string, unknown>): unknown {
  const byStatus = new Map<number, PossibleAnswer[]>();
  for (const answer of possibleAnswers(operation))
    byStatus.set(answer.status, [...(byStatus.get(answer.status) ?? []), answer]);
  const responses = [...byStatus].map(([status, answers]) => [
    String(status),
    responseOf(operation, answers, schemas),
  ]);
  return Object.fromEntries(responses);
}

function responseOf(
  { failure }: Operation,
  answers: readonly PossibleAnswer[],
  components: Record<string, unknown>,
): unknown {
  const status = answers[0]?.status as number;
  const open = answers.some(({ schema }) => schema === undefined);
  const schemas = answers.map(({ schema }) => schema).filter((schema) => schema !== undefined);
  const schema =
    status >= 400 && failure !== undefined
      ? failure
      : open
        ? {}
        : schemas.length === 1
          ? schemas[0]
          : { anyOf: schemas };
  const examples = answers.flatMap(({ behaviour, description, example }) =>
    example === undefined ? [] : [[behaviour ?? description, { summary: description, value: example }]],
  );
  return {
    description: answers
      .map(({ description, behaviour }) =>
        behaviour ? `${description} (behaviour \`${behaviour}\`)` : description,
      )
      .join("\n\n"),
    headers: {
      "X-Sim-Request": { description: "id of the journal entry", schema: { type: "string" } },
      "X-Sim-Behaviour": {
        description: "key of the behaviour table that decided the answer",
        schema: { type: "string" },
      },
    },
    content: {
      [JSON_TYPE]: {
        schema: published(schema as Schema, components),
        ...(examples.length > 0 ? { examples: Object.fromEntries(examples) } : {}),
      },
    },
  };
}
