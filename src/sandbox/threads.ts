/** Threads over time: their messaging windows as they are shown, what closes these, and what has changed. */

import type { Clock, Timer } from "../kernel/clock.js";
import { keysOf } from "../kernel/objects.js";
import { boolean, type InferReadonly, nullable, object, oneOf, optional, string } from "../kernel/schema.js";
import { type ChannelView, hasWindow } from "../kernel/windows.js";
import type { Rule, WorldView } from "../service/domain/transaction.js";
import { expireWindow, windowEndOf, withWindow } from "../service/domain/windows.js";
import { INDEXES, type IndexedRecord, type IndexName } from "../service/world/indexes.js";
import type { CollectionName, Records, Thread } from "../service/world/records.js";
import { instant, THREAD_STATUSES } from "../service/world/records.js";
import type { RecordReader } from "../service/world/world.js";

const values = (description: string) =>
  object(
    {
      status: optional(oneOf(THREAD_STATUSES)),
      isMessagingWindowOpen: optional(boolean()),
      businessId: optional(string()),
    },
    { description },
  );

export const threadChangeSchema = object(
  {
    id: string({ examples: ["s1"] }),
    at: instant({ description: "the sandbox's time, ms" }),
    threadId: string(),
    causedBy: nullable(
      string({
        description: "the journal entry (r…) or control call (c…) that caused it; null if the clock did",
      }),
    ),
    afterRequest: nullable(string({ description: "the newest journal entry at that time" })),
    afterControl: nullable(string({ description: "the newest control call completed at that time" })),
    from: values("the previous values of the changed fields"),
    to: values("the new values of the changed fields"),
  },
  { title: "thread change" },
);
/** A change of a thread's status, business or messaging window, as `GET /__sim/changes` shows it. */
export type ThreadChange = InferReadonly<typeof threadChangeSchema>;

/** The part of a thread's change that a conversation shows; undefined if something else has changed. */
export function differenceOf(
  view: ChannelView,
  before: Thread | null,
  after: Thread | null,
): Pick<ThreadChange, "from" | "to"> | undefined {
  if (before === null || after === null) return undefined;
  const shown = (thread: Thread) => ({
    status: thread.status,
    // Without a window, the thread counts as open, whatever the record says.
    isMessagingWindowOpen: !hasWindow(view, thread) || thread.isMessagingWindowOpen,
    businessId: thread.businessId,
  });
  const [from, to] = [shown(before), shown(after)];
  const changed = keysOf(from).filter((field) => from[field] !== to[field]);
  if (changed.length === 0) return undefined;
  const changedOf = (values: typeof from) =>
    Object.fromEntries(changed.map((field) => [field, values[field]])) as ThreadChange["to"];
  return { from: changedOf(from), to: changedOf(to) };
}

/** The records as they are shown: threads with the current state of their messaging window. */
export class ShownRecords implements RecordReader {
  constructor(private readonly view: WorldView) {}

  get<C extends CollectionName>(collection: C, id: string): Records[C] | undefined {
    const record = this.view.get(collection, id);
    return record === undefined ? undefined : this.show(collection, record);
  }

  *all<C extends CollectionName>(collection: C): Generator<Records[C]> {
    for (const record of this.view.all(collection)) yield this.show(collection, record);
  }

  *find<I extends IndexName>(index: I, key: string): Generator<IndexedRecord<I>> {
    const { collection } = INDEXES[index];
    for (const record of this.view.find(index, key))
      yield this.show<CollectionName>(collection, record) as IndexedRecord<I>;
  }

  count(collection: CollectionName): number {
    return this.view.count(collection);
  }

  /** One record, which may have been removed from the world. */
  show<C extends CollectionName>(collection: C, record: Records[C]): Records[C] {
    if (collection !== "threads") return record;
    return withWindow(this.view, record as Thread) as Records[C];
  }
}

/** Closes messaging windows by the sandbox's clock: one timer for each open window with an end. */
export class WindowTimers {
  readonly #timers = new Map<string, Timer>();

  constructor(
    private readonly run: {
      readonly clock: Clock;
      view(): WorldView;
      transact<Input>(cause: { readonly id: null }, rule: Rule<Input, void>, input: Input): void;
    },
  ) {}

  watchAll(): void {
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    const view = this.run.view();
    for (const thread of view.all("threads")) this.#set(view, thread);
  }

  /** Keeps the timer of a thread in sync with its record; null if the record is gone. */
  watch(id: string, thread: Thread | null): void {
    this.#timers.get(id)?.cancel();
    this.#timers.delete(id);
    if (thread !== null) this.#set(this.run.view(), thread);
  }

  #set(view: WorldView, thread: Thread): void {
    const { id } = thread;
    const due = thread.isMessagingWindowOpen ? windowEndOf(view, thread) : undefined;
    if (due === undefined) return;
    const timer = this.run.clock.at(due, () => {
      this.#timers.delete(id);
      this.run.transact({ id: null }, expireWindow, { threadId: id });
      // A message put into the thread may have moved an end that the record does not contain.
      this.watch(id, this.run.view().get("threads", id) ?? null);
    });
    this.#timers.set(id, timer);
  }
}
