/** OpenAPI 3.1 of the simulated API, derived from the operation table. */
import type { DescribedAnswer, DescribedOperation } from "../kernel/http/openapi.js";
import { openapiDocument } from "../kernel/http/openapi.js";
import type { Operation } from "./operation.js";
import { OPERATIONS } from "./operations/index.js";
import { conditionsOf, type PossibleAnswer, possibleAnswers } from "./responses.js";

const HEADERS = {
  "X-Sim-Request": { description: "id of the journal entry", schema: { type: "string" } },
  "X-Sim-Behaviour": {
    description: "key of the behaviour table that decided the answer",
    schema: { type: "string" },
  },
};

/** @param url the server's address, for `servers` */
export const describeApi = (url: string): object =>
  openapiDocument({
    title: "Customer Messaging Integration API (simulated)",
    description:
      "Conversations, messaging windows, templates, customer profiles, users and webhooks of one organization.",
    url,
    security: [{ token: [] }],
    securitySchemes: { token: { type: "apiKey", in: "header", name: "token" } },
    tags: [...new Set(OPERATIONS.map(({ section }) => section))].map((section) => ({
      name: tagOf(section),
      description: `Specification: ${section}.`,
    })),
    operations: OPERATIONS.map(described),
  });

const tagOf = (section: string): string => section.replace(/^.* \/ /, "");

function described(operation: Operation): DescribedOperation {
  const { description, section, deprecated, body } = operation;
  const conditions = conditionsOf(operation).map((condition) => `- ${condition}`);
  return {
    ...operation,
    deprecated: deprecated !== undefined,
    description: [description, conditions.join("\n"), `Specification: ${section}.`]
      .filter(Boolean)
      .join("\n\n"),
    tags: [tagOf(section)],
    bodyRequired: body?.required !== undefined,
    answers: possibleAnswers(operation).map(describedAnswer),
    headers: HEADERS,
  };
}

const describedAnswer = (answer: PossibleAnswer): DescribedAnswer => {
  const { status, description, schema, behaviour, example } = answer;
  return {
    status,
    description: behaviour === undefined ? description : `${description} (behaviour \`${behaviour}\`)`,
    schema,
    example:
      example === undefined
        ? undefined
        : { name: behaviour ?? description, summary: description, value: example },
  };
};
