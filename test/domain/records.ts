import type { Records } from "../../src/service/world/records.js";

/** The world's time in these tests: no whole second. */
const NOW = 1_767_258_000_999;

type Given<T> = Partial<T> & { readonly id: string };

export const business = (given: Given<Records["businesses"]>): Records["businesses"] => ({
  organizationId: "1",
  name: `Business ${given.id}`,
  online: true,
  whatsappSender: { active: true, phoneNumber: "+3310" },
  escalationPool: [],
  ...given,
});

export const user = (given: Given<Records["users"]>): Records["users"] => ({
  organizationId: "1",
  email: `u${given.id}@one.example`,
  displayName: `User ${given.id}`,
  businessIds: [],
  contactable: true,
  ...given,
});

export const customer = (given: Given<Records["customers"]>): Records["customers"] => ({
  organizationId: "1",
  type: null,
  editable: null,
  pictureHref: null,
  displayName: null,
  emailAddress: null,
  phoneNumber: null,
  firstName: null,
  lastName: null,
  company: null,
  channel: null,
  customerData: null,
  lastSurveys: null,
  ...given,
});

export const thread = (given: Given<Records["threads"]>): Records["threads"] => ({
  businessId: "11",
  customerId: "c1",
  channel: "WHATSAPP",
  status: "waiting",
  isMessagingWindowOpen: true,
  ...given,
});

export const message = (given: Given<Records["messages"]>): Records["messages"] => ({
  threadId: "91",
  fromCustomer: true,
  invisible: false,
  text: `Message ${given.id}`,
  contentSid: null,
  employeeUserId: null,
  timestamp: NOW,
  attachment: null,
  ...given,
});

export const webhook = (given: Given<Records["webhooks"]>): Records["webhooks"] => ({
  hookId: given.id,
  organizationId: "1",
  url: "https://bot.example/hook",
  enabled: true,
  subscribedEvents: ["messages", "transfers"],
  extraHeaders: [],
  legacy: false,
  ...given,
});
