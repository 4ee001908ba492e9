import type { Operation } from "../operation.js";
import { graphql } from "./graphql.js";
import { deleteUserByEmail, getCustomerProfile, updateCustomerProfile } from "./people.js";
import * as threads from "./threads.js";
import * as webhooks from "./webhooks.js";

/** Every operation of the simulated API, in the order of the specification. */
export const OPERATIONS = [
  getCustomerProfile,
  updateCustomerProfile,
  deleteUserByEmail,
  threads.sendMessageToCustomerThread,
  threads.sendMessageToBusiness,
  threads.getCustomerThreadDetails,
  threads.getWhatsappTemplates,
  threads.updateThreadStatus,
  webhooks.createWebhook,
  webhooks.listWebhooks,
  webhooks.getWebhook,
  webhooks.updateWebhook,
  webhooks.deleteWebhook,
  webhooks.updateHookUrl,
  graphql,
] as const satisfies readonly Operation[];

/** The operation of a call such as `GET /api/webhooks/7?x=1`. */
export function operationOfCall(call: string): Operation | undefined {
  const [method, path = ""] = call.split(/[ ?]/);
  const pattern = (template: string) => template.replace(/:\w+/g, "[^/]+").replace(/\/$/, "");
  const isOf = (template: string) => new RegExp(`^${pattern(template)}/?$`).test(path);
  return OPERATIONS.find((one) => one.method === method && isOf(one.path));
}
