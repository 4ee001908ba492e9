/** A fixture of any size around thread 9001 and the token acme-token, without webhooks. */
export function bigFixture(threads, messages) {
  const list = (count, make) => Array.from({ length: count }, (_, index) => make(index));
  return {
    organizations: [{ id: "200", name: "Acme Retail" }],
    businesses: [{ id: "1001", organizationId: "200", name: "Acme Paris" }],
    users: [
      {
        id: "501",
        organizationId: "200",
        email: "ana@acme.example",
        displayName: "Ana Martin",
        businessIds: ["1001"],
      },
    ],
    tokens: [{ id: "acme-token", userId: "501" }],
    customers: list(Math.min(threads, 1000), (index) => ({ id: `cust_${index}`, organizationId: "200" })),
    threads: list(threads, (index) => ({
      id: String(9001 + index),
      businessId: "1001",
      customerId: `cust_${index % Math.min(threads, 1000)}`,
      channel: "WHATSAPP",
      status: "waiting",
      isMessagingWindowOpen: true,
    })),
    messages: list(messages, (index) => ({
      id: String(5_000_001 + index),
      threadId: String(9001 + (index % threads)),
      fromCustomer: index % 2 === 0,
      text: `Message number ${index}`,
      timestamp: 1_700_000_000_000 + index,
    })),
  };
}
