/** The operations of the simulated API as the journal and matches name them, in the order of the specification. */
export const OPERATION_NAMES = [
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
export type OperationName = (typeof OPERATION_NAMES)[number];
