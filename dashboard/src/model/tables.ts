import type {
  Business,
  Change,
  CollectionName,
  Customer,
  Records,
  Template,
  Thread,
  Token,
  User,
  Webhook,
} from "./types";

/** The collections that the page holds whole; messages are held for one thread at a time. */
export const HELD = [
  "businesses",
  "users",
  "tokens",
  "customers",
  "threads",
  "templates",
  "webhooks",
] as const;
type Held = (typeof HELD)[number];

/** The page's copy of the sandbox's records, by id. */
export class Tables {
  businesses = new Map<string, Business>();
  users = new Map<string, User>();
  tokens = new Map<string, Token>();
  customers = new Map<string, Customer>();
  threads = new Map<string, Thread>();
  templates = new Map<string, Template>();
  webhooks = new Map<string, Webhook>();

  load(name: Held, records: readonly Records[Held][]): void {
    this[name] = new Map(records.map((record) => [record.id, record])) as never;
  }

  apply({ collection, id, after }: Change): void {
    if (!isHeld(collection)) return;
    const table = this[collection] as Map<string, Records[Held]>;
    if (after === null) table.delete(id);
    else table.set(id, after as Records[Held]);
  }

  customerNameOf(thread: Thread): string {
    const customer = this.customers.get(thread.customerId);
    return (
      customer?.displayName ||
      customer?.emailAddress ||
      customer?.phoneNumber ||
      `Customer ${thread.customerId}`
    );
  }

  /** The users who may write in a thread. */
  employeesOf(thread: Thread): User[] {
    return [...this.users.values()].filter((user) => user.businessIds.includes(thread.businessId));
  }

  /** The businesses of the thread's organization, without its own. */
  otherBusinessesOf(thread: Thread): Business[] {
    const own = this.businesses.get(thread.businessId);
    return [...this.businesses.values()].filter(
      (business) => business.organizationId === own?.organizationId && business.id !== own?.id,
    );
  }

  /** A token that may use the thread, for command lines to copy. */
  tokenFor(thread: Thread | undefined): string | undefined {
    const all = [...this.tokens.values()];
    const fitting = all.find(
      ({ userId }) => thread !== undefined && this.users.get(userId)?.businessIds.includes(thread.businessId),
    );
    return (fitting ?? all[0])?.id;
  }
}

const isHeld = (name: CollectionName): name is Held => (HELD as readonly string[]).includes(name);
