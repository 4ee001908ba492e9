import { object, oneOf, optional, record, string, unknown } from "../../kernel/schema.js";
import { GRAPHQL_NAMES, variablesSchemaOf } from "../graphql/execute.js";
import { graphqlFailure } from "../graphql/failure.js";
import { graphqlAnswerSchema, graphqlErrorSchema } from "../graphql/operations.js";
import { operation } from "../operation.js";

export const graphql = operation("graphql", "POST /graphql", {
  section: "Endpoints / Webhook operations (GraphQL)",
  summary: "Read, save and delete webhooks through GraphQL",
  description: `The body's \`query\` is the name of one of the operations ${GRAPHQL_NAMES.join(", ")}.`,
  body: object({
    query: oneOf(GRAPHQL_NAMES, { description: "the operation name" }),
    variables: optional(record(unknown())),
    operationName: optional(string()),
  }),
  success: graphqlAnswerSchema,
  refusals: [],
  example: { query: "get-hook-query" },
  refine: ({ query, variables = {} }) => ({
    schema: variablesSchemaOf(query),
    value: variables,
    property: "@.variables",
  }),
  failure: { schema: graphqlErrorSchema, write: graphqlFailure },
  handle: (call) => call.services.graphql.run(call, call.body),
});
