/** Creates the customers' threads, modelled on their scenario's, as the widget would. */

import type { Transport } from "../../client/transport.js";
import type { BehaviourRow, Customer, Thread } from "../../client/types.js";
import type { Problem } from "../../kernel/problems.js";
import { later } from "../../kernel/realtime.js";
import { segment } from "../../protocol/names.js";
import type { Scenario } from "../../scenarios/read.js";

export interface OwnThread {
  readonly id: string;
  readonly customerId: string;
}

/** How long a finished conversation stays: the system under test may still work on it, ms. */
const KEPT_MS = 30_000;

export class Threads {
  /** The records of new threads and customers. */
  readonly #models = new Map<Scenario, { readonly thread: object; readonly customer: object }>();
  #made = 0;
  #isClosed = false;

  /** @param generator distinguishes customers of generators that share a sandbox */
  constructor(
    private readonly transport: Transport,
    private readonly generator: string,
    private readonly keptMs = KEPT_MS,
  ) {}

  /** Looks up the scenarios' threads. @returns problems if some do not exist */
  async prepare(scenarios: readonly Scenario[]): Promise<readonly Problem[]> {
    const problems: Problem[] = [];
    const status = await this.behaviour("widget.threadStatus");
    for (const scenario of scenarios) {
      const { thread: id = "" } = scenario;
      const found = await this.#record<Thread>("threads", id);
      const owner = found && (await this.#record<Customer>("customers", found.customerId));
      if (found === undefined || owner === undefined) {
        problems.push(...scenario.locate([{ path: "thread", message: `there is no thread ${id}` }]));
        continue;
      }
      const { businessId, channel, widgetUserIds } = found;
      const { id: _, emailAddress: __, phoneNumber: ___, ...customer } = owner;
      const thread = { businessId, channel, status, isMessagingWindowOpen: true, widgetUserIds };
      this.#models.set(scenario, { thread, customer });
    }
    return problems;
  }

  /** Creates a customer with unique contact data, and its thread. @throws SimError */
  async make(scenario: Scenario): Promise<OwnThread> {
    const { customer, thread } = this.#models.get(scenario) ?? {};
    this.#made += 1;
    const contact = `${this.generator}${String(this.#made).padStart(8, "0")}`;
    const { id: customerId } = await this.#insert<Customer>("customers", {
      ...customer,
      emailAddress: `customer-${contact}@load.example`,
      phoneNumber: `+9${contact}`,
    });
    const { id } = await this.#insert<Thread>("threads", { ...thread, customerId });
    return { id, customerId };
  }

  /** Schedules the deletion of a customer with thread and messages. */
  end({ customerId }: OwnThread): void {
    const remove = () => {
      if (this.#isClosed) return;
      const query = { _dependent: "threads,messages" };
      // The load test goes on even if a customer cannot be deleted.
      this.transport.answer("DELETE", `/data/customers/${segment(customerId)}`, { query }).catch(() => {});
    };
    later(this.keptMs, remove, { background: true });
  }

  close(): void {
    this.#isClosed = true;
  }

  #insert<T>(collection: string, body: object): Promise<T> {
    return this.transport.call<T>("POST", `/data/${collection}`, { body });
  }

  async #record<T>(collection: string, id: string): Promise<T | undefined> {
    const path = `/data/${collection}/${segment(id)}`;
    const { status, body } = await this.transport.answer<T>("GET", path, { accept: [404] });
    return status === 404 ? undefined : body;
  }

  async behaviour(key: string): Promise<unknown> {
    const rows = await this.transport.call<BehaviourRow[]>("GET", "/behaviour");
    return rows.find((row) => row.key === key)?.value;
  }
}
