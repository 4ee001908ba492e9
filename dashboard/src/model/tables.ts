import { Table } from "./table";
import type { Business, RecordChange, Thread, User } from "./types";

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
