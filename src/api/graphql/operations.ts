/** The three named operations (specification: "Webhook operations (GraphQL)"), each with its document and its variables. */
import { keysOf } from "../../kernel/keys.js";
import type { Schema } from "../../kernel/schema.js";
import { anyOf, array, boolean, object, optional, string, unknown } from "../../kernel/schema.js";

interface NamedOperation {
  /** The GraphQL document that the name stands for. */
  readonly document: string;
  readonly variables: Schema;
}

const hookIds = () => array(string({ minLength: 1 }));

export const GRAPHQL_OPERATIONS = {
  "get-hook-query": {
    document: "query GetHook($hookId: [String!]) { hook(hookId: $hookId) { hookId url enabled } }",
    variables: object({ hookId: optional(hookIds()) }),
  },
  "save-hook-mutation": {
    document:
      "mutation SaveHook($hookId: String!, $url: String, $enabled: Boolean) { saveHook(hookId: $hookId, url: $url, enabled: $enabled) { hookId url enabled } }",
    variables: object({
      hookId: string({ minLength: 1 }),
      url: optional(
        string({ format: "webhook-url", "x-https": true, description: "required when creating" }),
      ),
      enabled: optional(boolean({ description: "left out for a new webhook: true" })),
    }),
  },
  "delete-hook-mutation": {
    document: "mutation DeleteHook($hookId: [String!]!) { deleteHook(hookId: $hookId) { flag } }",
    variables: object({ hookId: hookIds() }),
  },
} as const satisfies Record<string, NamedOperation>;

export type GraphqlName = keyof typeof GRAPHQL_OPERATIONS;
export const GRAPHQL_NAMES = keysOf(GRAPHQL_OPERATIONS);

export const TYPE_DEFINITIONS = /* GraphQL */ `
  type Hook {
    hookId: String!
    url: String!
    enabled: Boolean!
  }
  type Deletion {
    flag: Boolean!
  }
  type Query {
    hook(hookId: [String!]): [Hook!]!
  }
  type Mutation {
    saveHook(hookId: String!, url: String, enabled: Boolean): Hook!
    deleteHook(hookId: [String!]!): Deletion!
  }
`;

const hook = object({ hookId: string(), url: string(), enabled: boolean() });

export const graphqlAnswerSchema = object({
  data: anyOf([
    object({ hook: array(hook) }),
    object({ saveHook: hook }),
    object({ deleteHook: object({ flag: boolean() }) }),
  ]),
});

/** What a refused operation answers (behaviour `graphql.errors`). */
export const graphqlErrorSchema = object(
  {
    errors: array(
      object({ message: string(), path: optional(array(unknown())), code: optional(unknown()) }),
      { minItems: 1 },
    ),
  },
  { title: "GraphqlErrors" },
);
