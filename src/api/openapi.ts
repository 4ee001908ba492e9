/** OpenAPI 3.1 of the simulated API, derived from the operation table. */
import type { DescribedAnswer, DescribedOperation } from "../http/openapi.js";
import { openapiDocument } from "../http/openapi.js";
import { given } from "../kernel/given.js";
import type { Schema } from "../kernel/schema.js";
import type { Operation } from "./operation.js";
import { OPERATIONS } from "./operations/index.js";
import { type PossibleAnswer, possibleAnswers } from "./responses.js";

const HEADERS = {
  "X-Sim-Request": { description: "id of the journal entry", schema: { type: "string" } },
  "X-Sim-Behaviour": {
    description: "key of the behaviour table that decided the answer",
    schema: { type: "string" },
  },
};

/** @param url the address at which the description says that the API is */
export const openapiOf = (url: string): object =>
  openapiDocument({
    title: "Customer Messaging Integration API (simulated)",
    description:
      "Conversations, messaging windows, templates, customer profiles, users and webhooks of one organization.",
    url,
    security: [{ token: [] }],
    securitySchemes: { token: { type: "apiKey", in: "header", name: "token" } },
    tags: [...new Set(OPERATIONS.map(tagOf))],
    operations: OPERATIONS.map(described),
  });

const tagOf = ({ section }: Operation): string => section.replace(/^.* \/ /, "");

function described(operation: Operation): DescribedOperation {
  const { description, section, deprecated, body } = operation;
  return {
    ...operation,
    deprecated: deprecated !== undefined,
    description: [description, `Specification: ${section}.`].filter(Boolean).join("\n\n"),
    tags: [tagOf(operation)],
    bodyRequired: body?.required !== undefined,
    answers: answersByStatus(operation),
  };
}

function answersByStatus(operation: Operation): DescribedAnswer[] {
  const byStatus = new Map<number, PossibleAnswer[]>();
  for (const answer of possibleAnswers(operation))
    byStatus.set(answer.status, [...(byStatus.get(answer.status) ?? []), answer]);
  return [...byStatus].map(([status, answers]) => ({
    status,
    description: answers
      .map(({ description, behaviour }) =>
        behaviour ? `${description} (behaviour \`${behaviour}\`)` : description,
      )
      .join("\n\n"),
    headers: HEADERS,
    schema: schemaOf(operation, status, answers),
    ...given({ examples: examplesOf(answers) }),
  }));
}

function schemaOf({ failure }: Operation, status: number, answers: readonly PossibleAnswer[]): Schema {
  if (status >= 400 && failure !== undefined) return failure.schema;
  const schemas = answers.map(({ schema }) => schema);
  const known = schemas.filter((schema) => schema !== undefined);
  if (known.length < schemas.length) return {};
  return known.length === 1 ? (known[0] as Schema) : { anyOf: known };
}

function examplesOf(answers: readonly PossibleAnswer[]): DescribedAnswer["examples"] {
  const examples = answers.flatMap(({ behaviour, description, example }) =>
    example === undefined ? [] : [[behaviour ?? description, { summary: description, value: example }]],
  );
  return examples.length === 0 ? undefined : Object.fromEntries(examples);
}
