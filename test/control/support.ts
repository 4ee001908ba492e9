/** Records that can be written below `/data`, without their ids. */
export const THREAD = {
  businessId: "1001",
  customerId: "cust_001",
  channel: "SMS",
  status: "waiting",
  isMessagingWindowOpen: true,
};
export const HOOK = { organizationId: "200", url: "sink:x", subscribedEvents: ["messages"] };

/** The ids of a list in an answer. */
export const idsOf = ({ body }: { readonly body: readonly { readonly id: string }[] }): string[] =>
  body.map(({ id }) => id);
