import { lazy } from "../../kernel/lazy.js";
import type { Schema } from "../../kernel/schema.js";
import type { Call, Success } from "../operation.js";
import type { GraphqlName } from "./operations.js";
import { GRAPHQL_OPERATIONS } from "./operations.js";

export const GRAPHQL_NAMES = Object.keys(GRAPHQL_OPERATIONS) as [GraphqlName, ...GraphqlName[]];

/** The variables that an operation takes, for the check that follows the one of the body. */
export const variablesSchemaOf = (name: GraphqlName): Schema => GRAPHQL_OPERATIONS[name].variables;

export interface GraphqlBody {
  readonly query: GraphqlName;
  readonly variables?: Record<string, unknown> | undefined;
}

/** GraphQL takes long to load and most runs never need it: it is loaded at the first call. */
export class GraphqlRunner {
  readonly #load = lazy(async () => (await import("./yoga.js")).createGraphql());

  /** Runs a named operation through graphql-yoga. What a rule refuses is thrown as the rule threw it. */
  async run(call: Call, { query, variables = {} }: GraphqlBody): Promise<Success> {
    const execute = await this.#load();
    return { body: { data: await execute(query, variables, call) } };
  }
}
