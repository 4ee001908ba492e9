import { given } from "../../kernel/given.js";
import { object, oneOf, optional, record, unknown } from "../../kernel/schema.js";
import { graphqlFailure } from "../graphql/failure.js";
import {
  GRAPHQL_NAMES,
  GRAPHQL_OPERATIONS,
  graphqlAnswerSchema,
  graphqlErrorSchema,
} from "../graphql/operations.js";
import { executeNamed } from "../graphql/yoga.js";
import { operation } from "../operation.js";

export const graphql = operation("graphql", "POST /graphql", {
  section: "Endpoints / Webhook operations (GraphQL)",
  summary: "Read, save and delete webhooks through GraphQL",
  description: `The body's \`query\` is the name of one of the operations ${GRAPHQL_NAMES.join(", ")}.`,
  body: object({
    query: oneOf(GRAPHQL_NAMES, { description: "the operation name" }),
    variables: optional(record(unknown())),
  }),
  success: graphqlAnswerSchema,
  refusals: ["limits.webhooksError"],
  example: { query: "get-hook-query" },
  refine: ({ query, variables }) => ({
    schema: GRAPHQL_OPERATIONS[query].variables,
    value: variables ?? {},
    property: "@.variables",
  }),
  failure: { schema: graphqlErrorSchema, write: graphqlFailure },
  handle: async (call) => {
    const { query, variables } = call.body;
    const { data, behaviour } = await executeNamed(query, variables ?? {}, call);
    return { body: { data }, ...given({ behaviour }) };
  },
});
