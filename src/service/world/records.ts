/** The records of the simulated service (specification: "Resources and their fields"). */

import { BOUNDS } from "../../kernel/bounds.js";
import { isKeyOf, keysOf } from "../../kernel/objects.js";
import { LAST_WRITABLE } from "../../kernel/realtime.js";
import type { Infer, InferInput, Keywords, Schema } from "../../kernel/schema.js";
import {
  array,
  boolean,
  integer,
  nullable,
  object,
  oneOf,
  optional,
  record,
  string,
  unknown,
  withDefault,
} from "../../kernel/schema.js";

export const CHANNELS = ["WHATSAPP", "SMS", "EMAIL"] as const;

/** A channel: a well-known one, or another in the same form. */
export const channel = (keywords: Keywords = {}) =>
  string({
    ...keywords,
    pattern: "^[A-Z][A-Z0-9_]*$",
    "x-form": "a channel in upper case (such as WHATSAPP)",
    examples: CHANNELS,
  });

export const nameValueSchema = object({ name: string({ minLength: 1 }), value: string() });

export const headerName = (keywords: Keywords = {}) =>
  string({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$", "x-form": "a header name", ...keywords });

export const headerValue = (keywords: Keywords = {}) =>
  string({
    pattern: "^[\\t\\x20-\\x7e\\x80-\\xff]*$",
    "x-form": "Latin-1 text without line breaks",
    ...keywords,
  });

/** A header that can be sent as it is: a valid name, and a value without line breaks. */
export const headerSchema = object({ name: headerName(), value: headerValue() });

export const attachmentSchema = object({
  uuid: string({ minLength: 1 }),
  contentType: string({ minLength: 1 }),
  name: string({ minLength: 1 }),
  contentLength: integer({ minimum: 0 }),
});

export const webhookUrl = (keywords: Keywords = {}) =>
  string({
    format: "webhook-url",
    maxLength: BOUNDS.webhookCharacters.limit,
    description: "an http(s) URL, or sink:NAME for the simulator's own sink",
    ...keywords,
  });

export const hookId = () => string({ minLength: 1, maxLength: BOUNDS.webhookCharacters.limit });

/** A reference to a record of another collection: the loader checks that it exists. */
const ref = (collection: CollectionName) => string({ minLength: 1, "x-ref": collection });

/** Ids that events carry as integers: digits without a leading zero, at most 15. */
const digits = (keywords: Keywords = {}) =>
  string({
    pattern: "^[1-9][0-9]{0,14}$",
    "x-form": "digits without a leading zero (at most 15)",
    ...keywords,
  });
/** A value that is null if it is left out. */
const orNull = <T, I>(schema: Schema<T, I>) => withDefault(nullable(schema), null);
/** An instant within the range of dates, ms. */
export const instant = (keywords: Keywords = {}) =>
  integer({ minimum: 0, maximum: LAST_WRITABLE, ...keywords });
const name = () => string({ minLength: 1 });

export const THREAD_STATUSES = ["waiting", "replied", "resolved"] as const;
export const SUBSCRIPTIONS = ["messages", "transfers"] as const;
/** The status of a conversation. */
export type ThreadStatus = (typeof THREAD_STATUSES)[number];
export type Subscription = (typeof SUBSCRIPTIONS)[number];

const surveySchema = object({ createdAt: instant(), text: string() });

const organization = object({ id: digits(), name: name() }, { title: "Organization" });

const business = object(
  {
    id: digits(),
    organizationId: ref("organizations"),
    name: name(),
    online: withDefault(boolean(), true),
    whatsappSender: orNull(object({ active: boolean(), phoneNumber: string({ format: "e164" }) })),
    escalationPool: withDefault(array(ref("users"), { uniqueItems: true }), []),
  },
  { title: "Business" },
);

const user = object(
  {
    id: digits(),
    organizationId: ref("organizations"),
    email: string({ format: "email" }),
    displayName: name(),
    businessIds: array(ref("businesses"), { uniqueItems: true }),
    contactable: withDefault(boolean(), true),
  },
  { title: "User" },
);

const token = object(
  {
    id: string({
      pattern: "^[!-~]+$",
      "x-form": "an API key: printable ASCII without spaces",
      description: "the API key itself",
    }),
    userId: ref("users"),
    permissions: withDefault(array(name()), []),
    issuedAt: optional(instant()),
  },
  { title: "Token" },
);

const customerWith = (email: string) =>
  object(
    {
      id: name(),
      organizationId: ref("organizations"),
      type: orNull(string()),
      editable: orNull(boolean()),
      pictureHref: orNull(string()),
      displayName: orNull(string()),
      emailAddress: orNull(string({ format: email })),
      phoneNumber: orNull(string({ format: "e164" })),
      firstName: orNull(string()),
      lastName: orNull(string()),
      company: orNull(string()),
      channel: orNull(channel()),
      customerData: orNull(array(nameValueSchema)),
      lastSurveys: orNull(
        object({
          nps: optional(nullable(surveySchema)),
          preferredChannel: optional(nullable(surveySchema)),
        }),
      ),
      locale: optional(string()),
    },
    { title: "Customer" },
  );
const customer = customerWith("email");

const thread = object(
  {
    id: digits(),
    businessId: ref("businesses"),
    customerId: ref("customers"),
    channel: channel(),
    status: oneOf(THREAD_STATUSES),
    isMessagingWindowOpen: boolean(),
    windowClosesAt: optional(nullable(instant())),
    widgetUserIds: optional(
      array(digits(), {
        uniqueItems: true,
        description:
          "the users who started the conversation through the widget route; may include deleted users",
      }),
    ),
  },
  { title: "Thread" },
);

const message = object(
  {
    id: digits(),
    threadId: ref("threads"),
    fromCustomer: boolean(),
    invisible: withDefault(boolean(), false),
    text: string(),
    contentSid: orNull(ref("templates")),
    employeeUserId: orNull(digits({ description: "may name a deleted user" })),
    timestamp: instant(),
    attachment: orNull(attachmentSchema),
  },
  { title: "Message" },
);

const template = object(
  {
    id: string({ minLength: 1, description: "the contentSid" }),
    organizationId: ref("organizations"),
    businessIds: optional(
      array(ref("businesses"), {
        uniqueItems: true,
        description: "the businesses that may use it if `templates.scope` is `business`; default: all",
      }),
    ),
    title: name(),
    text: string(),
  },
  { title: "Template" },
);

const webhook = object(
  {
    id: hookId(),
    hookId: optional(hookId()),
    organizationId: ref("organizations"),
    url: webhookUrl(),
    enabled: withDefault(boolean(), true),
    subscribedEvents: array(oneOf(SUBSCRIPTIONS), { uniqueItems: true }),
    extraHeaders: withDefault(array(headerSchema), []),
    legacy: withDefault(boolean(), false),
  },
  { title: "Webhook record" },
);

/** The collections of a fixture, in the order in which they are written out. */
export const RECORD_SCHEMAS = {
  organizations: organization,
  businesses: business,
  users: user,
  tokens: token,
  customers: customer,
  threads: thread,
  messages: message,
  templates: template,
  webhooks: webhook,
} as const;

/** The same for records that the simulated API may have accepted: `widget.emailFormat` says what an address is. */
export const STORED_SCHEMAS = { ...RECORD_SCHEMAS, customers: customerWith("stored-email") } as const;

/** Owns businesses, users, customers, templates and webhooks. */
export type Organization = Readonly<Infer<typeof organization>>;
/** A branch of an organization, which has conversations. */
export type Business = Readonly<Infer<typeof business>>;
/** An employee, who can access the threads of their businesses. */
export type User = Readonly<Infer<typeof user>>;
/** An API key: its id is what callers send. */
export type Token = Readonly<Infer<typeof token>>;
/** A person whom the organization talks to. */
export type Customer = Readonly<Infer<typeof customer>>;
/** A conversation between a customer and a business, over one channel. */
export type Thread = Readonly<Infer<typeof thread>>;
/** A message in a thread, by the customer or an employee. */
export type Message = Readonly<Infer<typeof message>>;
/** A text that may be sent while the messaging window is closed; its id is its `contentSid`. */
export type Template = Readonly<Infer<typeof template>>;
/** The receiver of an organization's events. `hookId` defaults to `id` when loading. */
export type Webhook = Readonly<Infer<typeof webhook> & { hookId: string }>;
/** A file attached to a message. */
export type Attachment = Readonly<Infer<typeof attachmentSchema>>;
export type NameValue = Readonly<Infer<typeof nameValueSchema>>;

/** The record of each collection. */
export interface Records {
  organizations: Organization;
  businesses: Business;
  users: User;
  tokens: Token;
  customers: Customer;
  threads: Thread;
  messages: Message;
  templates: Template;
  webhooks: Webhook;
}

/** A collection of a world. */
export type CollectionName = keyof Records;
export const COLLECTIONS: readonly CollectionName[] = keysOf(RECORD_SCHEMAS);

export const isCollectionName = (name: string): name is CollectionName => isKeyOf(RECORD_SCHEMAS, name);

const collectionOf = <T, I>(schema: Schema<T, I>) => withDefault(array(schema), []);

/** The whole fixture document; a missing collection is empty. */
export const fixtureSchema = object(
  {
    $schema: optional(string()),
    simulator: optional(
      record(unknown(), {
        description: "what the document of a data folder holds beside the state; not read from a fixture",
      }),
    ),
    organizations: collectionOf(RECORD_SCHEMAS.organizations),
    businesses: collectionOf(RECORD_SCHEMAS.businesses),
    users: collectionOf(RECORD_SCHEMAS.users),
    tokens: collectionOf(RECORD_SCHEMAS.tokens),
    customers: collectionOf(RECORD_SCHEMAS.customers),
    threads: collectionOf(RECORD_SCHEMAS.threads),
    messages: collectionOf(RECORD_SCHEMAS.messages),
    templates: collectionOf(RECORD_SCHEMAS.templates),
    webhooks: collectionOf(RECORD_SCHEMAS.webhooks),
  },
  { title: "messaging-sim fixture", $schema: "https://json-schema.org/draft/2020-12/schema" },
);

/** A fixture after loading: every collection present, every default filled in. */
export type FixtureDocument = { [C in CollectionName]: Records[C][] };

/** A fixture as a caller may write it. */
export type FixtureInput = InferInput<typeof fixtureSchema>;
