import { signal } from "@preact/signals";
import type { Transport } from "../../../src/client/transport.js";
import type { Business, CollectionName, Message, RecordChange, Records, Thread, User } from "./types";

/** The collections that the page holds whole; of messages it holds those of one thread. */
export class Tables {
  readonly organizations = new Table("organizations");
  readonly businesses = new Table("businesses");
  readonly users = new Table("users");
  readonly tokens = new Table("tokens");
  readonly customers = new Table("customers");
  readonly threads = new Table("threads");
  readonly templates = new Table("templates");
  readonly webhooks = new Table("webhooks");
  readonly all = [
    this.organizations,
    this.businesses,
    this.users,
    this.tokens,
    this.customers,
    this.threads,
    this.templates,
    this.webhooks,
  ] as const;

  apply(changes: readonly RecordChange[]): void {
    for (const table of this.all) table.apply(changes);
  }

  customerName({ customerId }: Thread): string {
    const customer = this.customers.get(customerId);
    return (
      customer?.displayName || customer?.emailAddress || customer?.phoneNumber || `Customer ${customerId}`
    );
  }

  /** Who wrote a message of a thread, by name. */
  authorName({ fromCustomer, employeeUserId }: Message, thread: Thread): string {
    if (fromCustomer) return this.customerName(thread);
    if (employeeUserId === null) return "Employee";
    return this.users.get(employeeUserId)?.displayName ?? `User ${employeeUserId} (gone)`;
  }

  /** The users who may write in a thread. */
  employees({ businessId }: Thread): User[] {
    return [...this.users.records.values()].filter((user) => user.businessIds.includes(businessId));
  }

  /** The businesses of the thread's organization, without its own. */
  otherBusinesses({ businessId }: Thread): Business[] {
    const organizationId = this.businesses.get(businessId)?.organizationId;
    return [...this.businesses.records.values()].filter(
      (business) => business.organizationId === organizationId && business.id !== businessId,
    );
  }

  /** The thread with the id; where there is none, the first one. */
  threadOrFirst(id: string | null): Thread | undefined {
    const [first] = this.threads.records.values();
    return this.threads.get(id ?? "") ?? first;
  }

  /** A token that may use the thread, where there is one. */
  tokenFor(thread: Thread | undefined): string | undefined {
    const all = [...this.tokens.records.values()];
    const fitting = all.find(
      ({ userId }) => thread !== undefined && this.users.get(userId)?.businessIds.includes(thread.businessId),
    );
    return (fitting ?? all[0])?.id;
  }
}

/** The page's copy of one collection of the sandbox, by id. */
class Table<C extends CollectionName> {
  readonly #records = signal<ReadonlyMap<string, Records[C]>>(new Map());

  constructor(readonly collection: C) {}

  /** All records. A new map whenever one of them has changed. */
  get records(): ReadonlyMap<string, Records[C]> {
    return this.#records.value;
  }

  get(id: string): Records[C] | undefined {
    return this.records.get(id);
  }

  /** Reads the collection from the server; resolves with a function that replaces this copy. */
  async read(transport: Transport, signal: AbortSignal): Promise<() => void> {
    const records = await transport.call<Records[C][]>("GET", `/data/${this.collection}`, { signal });
    return () => {
      this.#records.value = new Map(records.map((record) => [record.id, record]));
    };
  }

  apply(changes: readonly RecordChange[]): void {
    const own = changes.filter(({ collection }) => collection === this.collection);
    if (own.length === 0) return;
    const records = new Map(this.#records.peek());
    for (const { id, after } of own) {
      if (after === null) records.delete(id);
      else records.set(id, after as Records[C]);
    }
    this.#records.value = records;
  }
}
