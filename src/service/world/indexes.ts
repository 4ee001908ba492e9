import { fromKeys, keysOf } from "../../kernel/objects.js";
import { COLLECTIONS, type CollectionName, type Records } from "./records.js";

export interface IndexRule<C extends CollectionName> {
  readonly collection: C;
  /** The keys of a record in this index; none if it is not in it. */
  readonly keys: (record: Records[C]) => readonly string[];
  /** The field whose value is the only key, if there is one; queries use this. */
  readonly field?: string;
}

const index = <C extends CollectionName>(collection: C, keys: IndexRule<C>["keys"]): IndexRule<C> => ({
  collection,
  keys,
});

const fieldIndex = <C extends CollectionName>(
  collection: C,
  field: string & keyof Records[C],
): IndexRule<C> => ({ collection, field, keys: (record) => [String(record[field])] });

export const keyOf = (...parts: string[]): string => parts.join(" ");

/** All lookups of records other than by id: no request scans a collection. */
export const INDEXES = {
  businessesByPoolMember: index("businesses", (business) => business.escalationPool),
  usersByEmail: index("users", (user) => [keyOf(user.organizationId, user.email.toLowerCase())]),
  usersByBusiness: index("users", (user) => user.businessIds),
  tokensByUser: fieldIndex("tokens", "userId"),
  customersByEmail: index("customers", ({ organizationId, emailAddress }) =>
    emailAddress === null ? [] : [keyOf(organizationId, emailAddress.toLowerCase())],
  ),
  customersByPhone: index("customers", ({ organizationId, phoneNumber }) =>
    phoneNumber === null ? [] : [keyOf(organizationId, phoneNumber)],
  ),
  threadsByCustomer: fieldIndex("threads", "customerId"),
  messagesByThread: fieldIndex("messages", "threadId"),
  templatesByOrganization: fieldIndex("templates", "organizationId"),
  webhooksByOrganization: fieldIndex("webhooks", "organizationId"),
  webhooksByHookId: index("webhooks", (webhook) => [keyOf(webhook.organizationId, webhook.hookId)]),
} as const;

export type IndexName = keyof typeof INDEXES;
export type IndexedRecord<I extends IndexName> = Records[(typeof INDEXES)[I]["collection"]];

export const INDEXES_OF: Readonly<Record<CollectionName, readonly IndexName[]>> = fromKeys(
  COLLECTIONS,
  (collection) => keysOf(INDEXES).filter((name) => INDEXES[name].collection === collection),
);

/** The index over a collection's records by the value of a field, if there is one. */
export const indexOn = (collection: CollectionName, field: string): IndexName | undefined =>
  INDEXES_OF[collection].find((name) => "field" in INDEXES[name] && INDEXES[name].field === field);
