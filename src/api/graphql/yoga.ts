import type { Plugin, YogaServerInstance } from "graphql-yoga";
import { createSchema, createYoga } from "graphql-yoga";
import * as rules from "../../domain/webhooks.js";
import type { Webhook } from "../../world/records.js";
import type { Call } from "../operation.js";
import { GRAPHQL_OPERATIONS, type GraphqlName, TYPE_DEFINITIONS } from "./operations.js";

/** What a resolver works with: the call, and a place for the error that a rule threw. */
export interface GraphqlContext {
  readonly call: Call;
  /** Yoga hands resolvers a copy of the context; what is in here is the same for all. */
  readonly outcome: { failure?: unknown };
}

/** GraphQL is silent about a variable that is null; the rules know only what was given. */
const given = <T>(value: T | null | undefined): T | undefined => value ?? undefined;
const hookView = ({ hookId, url, enabled }: Webhook) => ({ hookId, url, enabled });

/** Keeps what a rule throws, as it is, beside the GraphQL error that comes of it. */
function keepingFailure<Args, Result>(resolve: (args: Args, call: Call) => Result) {
  return (_: unknown, args: Args, context: GraphqlContext): Result => {
    try {
      return resolve(args, context.call);
    } catch (error) {
      context.outcome.failure = error;
      throw error;
    }
  };
}

const resolvers = {
  Query: {
    hook: keepingFailure(({ hookId }: { hookId?: string[] | null }, { turn, caller }) =>
      rules.webhooksOf(turn, caller, given(hookId)).map(hookView),
    ),
  },
  Mutation: {
    saveHook: keepingFailure(
      (
        { hookId, url, enabled }: { hookId: string; url?: string | null; enabled?: boolean | null },
        { run, caller },
      ) => hookView(run(rules.saveWebhook, { caller, hookId, url: given(url), enabled: given(enabled) })),
    ),
    deleteHook: keepingFailure(({ hookId }: { hookId: string[] }, { run, caller }) => ({
      flag: run(rules.deleteWebhooks, { caller, hookIds: hookId }),
    })),
  },
};

/** The body's `query` is an operation's name: the document that it stands for is put in its place. */
const namedOperations: Plugin = {
  onParams({ params, setParams }) {
    const named = GRAPHQL_OPERATIONS[params.query as GraphqlName];
    if (named !== undefined) setParams({ variables: params.variables ?? {}, query: named.document });
  },
};

export function createGraphql(): YogaServerInstance<Record<string, unknown>, GraphqlContext> {
  return createYoga<Record<string, unknown>, GraphqlContext>({
    schema: createSchema({ typeDefs: TYPE_DEFINITIONS, resolvers: resolvers as never }) as never,
    plugins: [namedOperations],
    logging: false,
    graphiql: false,
    landingPage: false,
    maskedErrors: false,
    cors: false,
  });
}
