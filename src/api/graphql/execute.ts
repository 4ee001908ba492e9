import type { Schema } from "../../kernel/schema.js";
import type { Call, Reply } from "../operation.js";
import type { GraphqlName } from "./operations.js";
import { GRAPHQL_OPERATIONS } from "./operations.js";
import type { GraphqlContext } from "./yoga.js";

export const GRAPHQL_NAMES = Object.keys(GRAPHQL_OPERATIONS) as [GraphqlName, ...GraphqlName[]];

/** The variables that an operation takes, for the check that follows the one of the body. */
export const variablesSchemaOf = (name: GraphqlName): Schema => GRAPHQL_OPERATIONS[name].variables;

export interface GraphqlBody {
  readonly query: GraphqlName;
  readonly variables?: Record<string, unknown> | undefined;
}

type Yoga = ReturnType<typeof import("./yoga.js").createGraphql>;

/** GraphQL takes long to load and most runs never need it: it is loaded at the first call. */
export class GraphqlRunner {
  #yoga: Promise<Yoga> | undefined;

  /** Runs a named operation through graphql-yoga. What a rule refuses is thrown as the rule threw it. */
  async run(call: Call, body: GraphqlBody): Promise<Reply> {
    this.#yoga ??= import("./yoga.js").then(({ createGraphql }) => createGraphql());
    const yoga = await this.#yoga;
    const context: GraphqlContext = { call, outcome: {} };
    const request = {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify({ query: body.query, variables: body.variables }),
    };
    const response = await yoga.fetch("http://localhost/graphql", request, context as never);
    if (context.outcome.failure !== undefined) throw context.outcome.failure;
    return { body: await response.json(), status: response.status };
  }
}
