import type { Operation } from "../operation.js";
import { getCustomerProfile, updateCustomerProfile } from "./customers.js";
import { graphql } from "./graphql.js";
import {
  getCustomerThreadDetails,
  getWhatsappTemplates,
  sendMessageToCustomerThread,
  updateThreadStatus,
} from "./threads.js";
import { deleteUserByEmail } from "./users.js";
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  updateHookUrl,
  updateWebhook,
} from "./webhooks.js";
import { sendMessageToBusiness } from "./widget.js";

/** Every operation of the simulated API, in the order of the specification. */
export const OPERATIONS = [
  getCustomerProfile,
  updateCustomerProfile,
  deleteUserByEmail,
  sendMessageToCustomerThread,
  sendMessageToBusiness,
  getCustomerThreadDetails,
  getWhatsappTemplates,
  updateThreadStatus,
  createWebhook,
  listWebhooks,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  updateHookUrl,
  graphql,
] as const satisfies readonly Operation[];
