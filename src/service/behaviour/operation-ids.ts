/** The ids of the operations of the simulated API, for entries whose values name them; the operation table must have all. */
export const OPERATION_IDS = [
  "getCustomerProfile",
  "updateCustomerProfile",
  "deleteUserByEmail",
  "sendMessageToCustomerThread",
  "sendMessageToBusiness",
  "getCustomerThreadDetails",
  "getWhatsappTemplates",
  "updateThreadStatus",
  "createWebhook",
  "listWebhooks",
  "getWebhook",
  "updateWebhook",
  "deleteWebhook",
  "updateHookUrl",
  "graphql",
] as const;
/** An operation of the simulated API, by its id. */
export type OperationId = (typeof OPERATION_IDS)[number];
