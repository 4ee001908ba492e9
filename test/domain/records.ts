import type { Caller } from "../../src/service/domain/access.js";
import type { FixtureDocument, Records } from "../../src/service/world/records.js";
import { stateOf } from "../../src/service/world/state.js";
import { World } from "../../src/service/world/world.js";
import { EMPTY } from "../world/documents.js";

/** The world's time in these tests: no whole second. */
export const NOW = 1_767_258_000_999;

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

/** Ana works for business 11 of organization 1, which also has 12; organization 2 has 21. */
export const ANA = user({ id: "51", businessIds: ["11"] });
export const ana: Caller = {
  token: { id: "ana-token", userId: ANA.id, permissions: [] },
  user: ANA,
  organizationId: "1",
};

/** One thread of each kind: Ana's 91, her colleague's 92, the other organization's 93. */
const RECORDS: FixtureDocument = {
  ...EMPTY,
  organizations: [
    { id: "1", name: "One" },
    { id: "2", name: "Two" },
  ],
  businesses: [business({ id: "11" }), business({ id: "12" }), business({ id: "21", organizationId: "2" })],
  users: [
    ANA,
    user({ id: "52", businessIds: ["12"] }),
    user({ id: "61", organizationId: "2", businessIds: ["21"] }),
  ],
  tokens: [ana.token],
  customers: [customer({ id: "c1" }), customer({ id: "c2", organizationId: "2" })],
  threads: [
    thread({ id: "91" }),
    thread({ id: "92", businessId: "12" }),
    thread({ id: "93", businessId: "21", customerId: "c2" }),
  ],
  templates: [
    { id: "HX1", organizationId: "1", title: "hello", text: "Hello from One" },
    { id: "HX2", organizationId: "2", title: "hello", text: "Hello from Two" },
  ],
};

/** A world of the records above, with other ones in some collections. */
export const worldWith = (given: Partial<FixtureDocument> = {}): World =>
  new World(stateOf({ ...RECORDS, ...given }));
