import { routeTable } from "../../kernel/http/endpoint.js";
import { OPERATION_IDS, type OperationId } from "../../service/behaviour/entry.js";
import type { Operation } from "../operation.js";
import { graphql } from "./graphql.js";
import * as people from "./people.js";
import * as threads from "./threads.js";
import * as webhooks from "./webhooks.js";

const DECLARED: { readonly [Id in OperationId]: Operation & { readonly id: Id } } = {
  ...people,
  ...threads,
  ...webhooks,
  graphql,
};

/** Every operation of the simulated API, in the order of the specification. */
export const OPERATIONS = OPERATION_IDS.map((id) => DECLARED[id]);

export const OPERATION_ROUTES = routeTable<Operation>(OPERATIONS);

/** The operation of a call such as `GET /api/webhooks/7?x=1`. */
export function operationOfCall(call: string): Operation | undefined {
  const [method = "", path = ""] = call.split(/[ ?]/);
  return OPERATION_ROUTES.find(method, path).route;
}
