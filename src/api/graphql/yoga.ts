import { lazily, loadPackage } from "../../kernel/load.js";
import type { BehaviourKey } from "../../service/behaviour/table.js";
import * as rules from "../../service/domain/webhooks.js";
import type { Webhook } from "../../service/world/records.js";
import type { Call } from "../operation.js";
import { GRAPHQL_OPERATIONS, type GraphqlName, TYPE_DEFINITIONS } from "./operations.js";

/** What a resolver tells beside its result: the error that a rule threw, the entry that decided. */
interface Outcome {
  failure?: unknown;
  behaviour?: BehaviourKey | undefined;
}

/** The context of a resolver. */
interface GraphqlContext {
  readonly call: Call;
  readonly outcome: Outcome;
}

/** Null counts as left out: the rules know only values that were given. */
const orLeftOut = <T>(value: T | null | undefined): T | undefined => value ?? undefined;
const hookView = ({ hookId, url, enabled }: Webhook) => ({ hookId, url, enabled });

/** Keeps the error that a rule throws, because GraphQL wraps it in an error of its own. */
function keepingFailure<Args, Result>(resolve: (args: Args, call: Call, outcome: Outcome) => Result) {
  return (_: unknown, args: Args, context: GraphqlContext): Result => {
    try {
      return resolve(args, context.call, context.outcome);
    } catch (error) {
      context.outcome.failure = error;
      throw error;
    }
  };
}

const resolvers = {
  Query: {
    hook: keepingFailure(({ hookId }: { hookId?: string[] | null }, { view, caller }, outcome) => {
      if (hookId?.length === 0) outcome.behaviour = "graphql.getNone";
      return rules.webhooksNamed(view, caller, orLeftOut(hookId)).map(hookView);
    }),
  },
  Mutation: {
    saveHook: keepingFailure(
      (
        { hookId, url, enabled }: { hookId: string; url?: string | null; enabled?: boolean | null },
        { run, caller },
      ) =>
        hookView(
          run(rules.saveWebhook, { caller, hookId, url: orLeftOut(url), enabled: orLeftOut(enabled) }),
        ),
    ),
    deleteHook: keepingFailure(({ hookId }: { hookId: string[] }, { view, run, caller }, outcome) => {
      outcome.behaviour = rules.deletionDecidedBy(view, caller, hookId);
      return { flag: run(rules.deleteWebhooks, { caller, hookIds: hookId }) };
    }),
  },
};

/** GraphQL takes long to load and most simulators never need it: the first call loads it. */
const graphql = lazily(() => {
  const { createSchema, createYoga } = loadPackage<typeof import("graphql-yoga")>("graphql-yoga");
  const schema = createSchema<GraphqlContext>({ typeDefs: TYPE_DEFINITIONS, resolvers });
  const yoga = createYoga({ schema, logging: false, maskedErrors: false });
  const { parse, validate } = yoga.getEnveloped();
  /** Each named operation's document is parsed and validated once. */
  const documents = new Map(
    Object.entries(GRAPHQL_OPERATIONS).map(([name, { document }]) => {
      const parsed = parse(document);
      const problems = validate(schema, parsed);
      if (problems.length > 0) throw problems[0];
      return [name, parsed];
    }),
  );
  return { schema, yoga, documents };
});

/**
 * Runs a named operation on yoga's executor, without a second HTTP exchange around it, and gives its `data` with the entry that
 * decided it. What a rule refused is thrown as the rule threw it.
 */
export async function executeNamed(
  name: GraphqlName,
  variableValues: Readonly<Record<string, unknown>>,
  call: Call,
): Promise<{ readonly data: unknown; readonly behaviour: BehaviourKey | undefined }> {
  const context: GraphqlContext = { call, outcome: {} };
  const { schema, yoga, documents } = graphql();
  const { execute } = yoga.getEnveloped({ ...context });
  const document = documents.get(name);
  const result = await execute({ schema, document, variableValues, contextValue: context });
  if (context.outcome.failure !== undefined) throw context.outcome.failure;
  if (result.errors?.length > 0) throw result.errors[0];
  return { data: result.data, behaviour: context.outcome.behaviour };
}
