/** Rules and forms that the specification leaves open. */
import { CONVERSATION_POLICIES } from "./conversations.js";
import { CUSTOMER_POLICIES } from "./customers.js";
import { REQUEST_POLICIES } from "./requests.js";
import { WEBHOOK_POLICIES } from "./webhooks.js";

export const POLICIES = {
  ...REQUEST_POLICIES,
  ...CUSTOMER_POLICIES,
  ...CONVERSATION_POLICIES,
  ...WEBHOOK_POLICIES,
} as const;
