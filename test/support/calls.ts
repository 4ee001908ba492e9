/** A call of each operation that would succeed, on the default fixture. */
export const CALLS: Record<string, { call: string; body?: unknown }> = {
  getCustomerProfile: { call: "GET /api/customers/cust_001/profile" },
  updateCustomerProfile: {
    call: "POST /api/customers/cust_001/profile/update",
    body: { company: "Initrode" },
  },
  deleteUserByEmail: { call: "POST /api/user/delete-by-email", body: { email: "chloe@acme.example" } },
  sendMessageToCustomerThread: {
    call: "POST /api/send-message-to-customer-thread",
    body: { customerThreadId: "9001", text: "Hi" },
  },
  sendMessageToBusiness: {
    call: "POST /api/widget/send-message-to-business",
    body: { businessId: "1001", message: "Hi", user: { email: "ida@customer.example" } },
  },
  getCustomerThreadDetails: { call: "GET /api/get-customer-thread-details?customerThreadId=9001" },
  getWhatsappTemplates: { call: "GET /api/get-whatsapp-templates?customerThreadId=9001" },
  updateThreadStatus: {
    call: "POST /api/update-thread-status",
    body: { customerThreadId: "9001", status: "resolved" },
  },
  createWebhook: {
    call: "POST /api/webhooks/",
    body: { url: "https://bot.example/hook", subscribedEvents: ["messages"] },
  },
  listWebhooks: { call: "GET /api/webhooks/" },
  getWebhook: { call: "GET /api/webhooks/crm" },
  updateWebhook: { call: "POST /api/webhooks/crm/update", body: { enabled: false } },
  deleteWebhook: { call: "POST /api/webhooks/crm/delete" },
  updateHookUrl: { call: "POST /api/update-hook-url", body: { url: "https://bot.example/legacy" } },
  graphql: { call: "POST /graphql", body: { query: "get-hook-query" } },
};
