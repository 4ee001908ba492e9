/** The three named operations (specification: "Webhook operations (GraphQL)"), each with its document and its variables. */

import { isObject } from "../../kernel/json.js";
import { fromKeys, isKeyOf, keysOf } from "../../kernel/objects.js";
import { lazily, loadPackage } from "../../kernel/packages.js";
import type { Schema } from "../../kernel/schema.js";
import { anyOf, array, boolean, object, oneOf, optional, string, unknown } from "../../kernel/schema.js";
import type { BehaviourValues } from "../../service/behaviour/table.js";
import * as rules from "../../service/domain/webhooks.js";
import { hookId, webhookUrl } from "../../service/world/records.js";
import type { CheckedCall, ServiceAnswer } from "../operation.js";
import { operation } from "../operation.js";
import { isValidationProblem, type ValidationProblem } from "../validation/rules.js";

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
      hookId: hookId(),
      url: optional(webhookUrl({ "x-https": true, description: "required when creating" })),
      enabled: optional(boolean({ description: "default for a new webhook: true" })),
    }),
  },
  "delete-hook-mutation": {
    document: "mutation DeleteHook($hookId: [String!]!) { deleteHook(hookId: $hookId) { flag } }",
    variables: object({ hookId: hookIds() }),
  },
} as const satisfies Record<string, { readonly document: string; readonly variables: Schema }>;

const GRAPHQL_NAMES = keysOf(GRAPHQL_OPERATIONS);

const TYPE_DEFINITIONS = /* GraphQL */ `
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

const graphqlAnswerSchema = object({
  data: anyOf([
    object({ hook: array(hook) }),
    object({ saveHook: hook }),
    object({ deleteHook: object({ flag: boolean() }) }),
  ]),
});

const graphqlErrorSchema = object(
  {
    errors: array(
      object({ message: string(), path: optional(array(unknown())), code: optional(unknown()) }),
      { minItems: 1 },
    ),
  },
  { title: "GraphqlErrors" },
);

// Null counts as left out: the rules know only values that were given.
const resolvers = {
  Query: {
    hook: (_: unknown, { hookId }: { hookId?: string[] | null }, { view, caller }: CheckedCall) =>
      rules.webhooksNamed(view, caller, hookId ?? undefined),
  },
  Mutation: {
    saveHook: (
      _: unknown,
      { hookId, url, enabled }: { hookId: string; url?: string | null; enabled?: boolean | null },
      { run, caller }: CheckedCall,
    ) => run(rules.saveWebhook, { caller, hookId, url: url ?? undefined, enabled: enabled ?? undefined }),
    deleteHook: (_: unknown, { hookId }: { hookId: string[] }, { run, caller }: CheckedCall) => ({
      flag: run(rules.deleteWebhooks, { caller, hookIds: hookId }),
    }),
  },
};

/** GraphQL takes long to load and most simulators never need it: the first call loads it. */
const engine = lazily(() => {
  const { createSchema, createYoga } = loadPackage<typeof import("graphql-yoga")>("graphql-yoga");
  const schema = createSchema<CheckedCall>({ typeDefs: TYPE_DEFINITIONS, resolvers });
  const { parse, execute } = createYoga({ schema, logging: false, maskedErrors: false }).getEnveloped();
  const documents = fromKeys(GRAPHQL_NAMES, (name) => parse(GRAPHQL_OPERATIONS[name].document));
  return { schema, execute, documents };
});

/**
 * A refusal in the form of GraphQL: `errors`, each with `path` and `code` where `graphql.errors` is `coded`, and nothing
 * else: GraphQL allows no other key beside `errors` than `data` and `extensions`.
 */
function graphqlFailure(answer: ServiceAnswer, behaviour: BehaviourValues): ServiceAnswer {
  const { status, body: content, behaviour: key, outcome } = answer;
  // GraphQL codes are HTTP statuses with two more digits: 40400, 40300.
  const code = status * 100;
  const body = isObject(content) ? content : {};
  const found = [...problemsIn(body.body), ...problemsIn(body.headers)].map(({ message, property }) => ({
    path: pathOf(property),
    message: `${property} ${message}`,
  }));
  const errors = found.length > 0 ? found : [{ path: [], message: textOf(content, body) }];
  const coded = behaviour["graphql.errors"] === "coded";
  const isAuthentication = outcome === "auth.missing" || outcome === "auth.invalid";
  return {
    ...answer,
    status: behaviour["graphql.errorStatus"] === "ok" && !isAuthentication ? 200 : status,
    body: Array.isArray(body.errors)
      ? content
      : { errors: errors.map(({ path, message }) => (coded ? { path, message, code } : { message })) },
    behaviour: key ?? "graphql.errors",
  };
}

const problemsIn = (list: unknown): ValidationProblem[] =>
  Array.isArray(list) ? list.filter(isValidationProblem) : [];

const textOf = (content: unknown, { error, message }: Readonly<Record<string, unknown>>): string =>
  typeof error === "string" ? error : typeof message === "string" ? message : JSON.stringify(content);

/** `@.variables.hookId[0]` as a path: variables, hookId, 0. */
const pathOf = (property: string): (string | number)[] =>
  [...property.matchAll(/\.([^.[\]]+)|\[(\d+)\]/g)].map(([, key = "", index]) =>
    index === undefined ? key : Number(index),
  );

export const graphql = operation("graphql", "POST /graphql", {
  section: "Endpoints / Webhook operations (GraphQL)",
  summary: "Read, save and delete webhooks through GraphQL",
  description: `The body's \`query\` is the name of one of the operations ${GRAPHQL_NAMES.join(", ")}.`,
  body: object({
    query: oneOf(GRAPHQL_NAMES, { description: "the operation name" }),
    variables: optional(object({}, { additionalProperties: true })),
  }),
  success: graphqlAnswerSchema,
  decidedBy: ["graphql.getNone", "graphql.deleteUnknown"],
  refusals: ["limits.webhooksError"],
  example: { query: "get-hook-query" },
  refine: (body) => {
    const { query, variables } = isObject(body) ? body : {};
    if (typeof query !== "string" || !isKeyOf(GRAPHQL_OPERATIONS, query)) return undefined;
    if (!isObject(variables ?? {})) return undefined;
    return { schema: GRAPHQL_OPERATIONS[query].variables, value: variables ?? {}, at: ["variables"] };
  },
  failure: { schema: graphqlErrorSchema, write: graphqlFailure },
  /** Runs on yoga's executor, without a second HTTP exchange around it. What a rule refused is thrown as the rule threw it. */
  handle: async (call) => {
    const { query, variables = {} } = call.body;
    const { schema, execute, documents } = engine();
    const result = await execute({
      schema,
      document: documents[query],
      variableValues: variables,
      contextValue: call,
    });
    const [error] = result.errors ?? [];
    if (error !== undefined) throw error.originalError ?? error;
    return { body: { data: result.data } };
  },
});
