import { batch } from "@preact/signals";
import { SimError } from "../../../src/client/errors.js";
import { errorMessage } from "../lib/control";
import { firstPaths } from "../lib/first-view";
import type { ControlNote } from "../story/control-note";
import { controlNote } from "../story/control-note";
import { sharedBatches } from "../stream/shared";
import { deliveryTime } from "./entries";
import { MAX_ENTRIES } from "./live-log";
import type { Session } from "./session";
import type {
  BehaviourRow,
  Business,
  ClockReading,
  ControlRecord,
  Customer,
  DeliveryRecord,
  FaultRule,
  RecordChange,
  RequestRecord,
  SandboxInfo,
  StreamData,
  StreamEvent,
  Thread,
  ThreadChange,
  Warning,
} from "./types";

/** A thread with its customer, as the first view reads it. */
type Shown = Thread & { readonly customer?: Customer };

const MIN_PAUSE_MS = 250;
const MAX_PAUSE_MS = 4_000;
const LOG_PAGE = { limit: String(MAX_ENTRIES) };
/** The page is rendered at most this often, ms, and with at most so many events each time. */
const MIN_RENDER_MS = 100;
const MAX_EVENTS = 500;
/** With more events that wait the page connects anew, and loads what the logs hold by then. */
const MAX_PENDING = 20_000;
const SANDBOXES_PAUSE_MS = 1_000;
const TOO_FAST = "more happens than the page can follow";

/** Keeps a session in step with its sandbox: loads it, follows the stream, and tries again when the stream breaks off. */
export class Sync {
  readonly #session: Session;
  readonly #notify: (text: string) => void;
  readonly #stop = new AbortController();
  /** Events of the stream that are not applied yet. */
  #pending: StreamEvent[] = [];
  /** Runs while the next rendering has to wait. */
  #timer: ReturnType<typeof setTimeout> | null = null;
  #sandboxesTimer: ReturnType<typeof setTimeout> | null = null;
  #loading = false;
  #pauseMs = MIN_PAUSE_MS;
  #endPause: () => void = () => {};

  /** `notify` says what a reader of the page should know of what others did. */
  constructor(session: Session, notify: (text: string) => void) {
    this.#session = session;
    this.#notify = notify;
  }

  /** Follows the sandbox until `close`. */
  async run(): Promise<void> {
    this.#preview().catch(() => {});
    while (!this.#stop.signal.aborted) {
      try {
        await this.#follow();
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        this.#disconnected(error);
      }
      await this.#pause();
    }
  }

  close(): void {
    this.#stop.abort();
    this.#endPause();
    for (const timer of [this.#timer, this.#sandboxesTimer]) if (timer !== null) clearTimeout(timer);
  }

  /** Tries to connect at once. */
  retry(): void {
    this.#endPause();
  }

  /** Follows one stream to its end. Always throws: what ended it. */
  async #follow(): Promise<never> {
    const over = new AbortController();
    const signal = AbortSignal.any([this.#stop.signal, over.signal]);
    this.#pending = [];
    try {
      for await (const events of sharedBatches(this.#session.transport, this.#session.access, signal)) {
        this.#pending.push(...events);
        if (this.#pending.length > MAX_PENDING) throw new SimError(TOO_FAST, null, "unreachable");
        if (events.some(({ event }) => event === "hello"))
          this.#load(signal).then(
            () => {
              this.#pauseMs = MIN_PAUSE_MS;
            },
            (error) => over.abort(error),
          );
        this.#applyPending();
      }
      throw over.signal.reason ?? new SimError("the stream ended", null, "unreachable");
    } finally {
      over.abort();
    }
  }

  /** Loads what is in sight first, for networks on which everything takes its time. */
  async #preview(): Promise<void> {
    const { transport, tables, conversation, clock, loaded, threadCount } = this.#session;
    const paths = firstPaths(conversation.peek()?.threadId ?? null);
    const read = <T>(path: string) => transport.call<T>("GET", path, { signal: this.#stop.signal });
    const [page, own, businesses, time] = await Promise.all([
      read<{ readonly items: number; readonly data: readonly Shown[] }>(paths.threads),
      paths.thread ? read<readonly Shown[]>(paths.thread) : [],
      read<Business[]>(paths.businesses),
      read<ClockReading>(paths.clock),
    ]);
    if (loaded.peek()) return;
    const shown = [...page.data, ...own];
    batch(() => {
      tables.threads.add(shown);
      tables.customers.add(shown.flatMap(({ customer }) => (customer === undefined ? [] : [customer])));
      tables.businesses.add(businesses);
      clock.set(time);
      threadCount.value = page.items;
      loaded.value = true;
    });
  }

  /** Loads everything anew. In the meantime events of the stream wait. */
  async #load(signal: AbortSignal): Promise<void> {
    const session = this.#session;
    const { transport, tables } = session;
    const read = <T>(path: string, query = {}) => transport.call<T>("GET", path, { query, signal });
    this.#loading = true;
    try {
      const [
        requests,
        deliveries,
        warnings,
        controls,
        changes,
        clock,
        faults,
        setTables,
        behaviour,
        sandboxes,
      ] = await Promise.all([
        read<RequestRecord[]>("/requests", LOG_PAGE),
        read<DeliveryRecord[]>("/deliveries", LOG_PAGE),
        read<Warning[]>("/warnings", LOG_PAGE),
        read<ControlRecord[]>("/controls", LOG_PAGE),
        read<ThreadChange[]>("/changes", LOG_PAGE),
        read<ClockReading>("/clock"),
        read<FaultRule[]>("/faults"),
        Promise.all(tables.all.map((table) => table.read(transport, signal))),
        read<BehaviourRow[]>("/behaviour"),
        session.server.call<SandboxInfo[]>("GET", "/sandboxes", { signal }),
        session.conversation.peek()?.load(),
      ]);
      batch(() => {
        for (const setTable of setTables) setTable();
        session.threadCount.value = 0;
        // By a running clock the age of an entry is its real age.
        const ageOf = (at: number) => (clock.frozen ? Number.POSITIVE_INFINITY : clock.now - at);
        session.requests.load(requests, ({ at }) => ageOf(at));
        session.deliveries.load(deliveries, (delivery) => ageOf(deliveryTime(delivery)));
        session.causes.addDeliveries(deliveries);
        session.controls.load(controls.map(controlNote));
        session.causes.addControls(session.controls.entries);
        session.changes.load(changes.map((change) => session.noteOf(change)));
        session.warnings.load(warnings);
        session.firsts.note(requests, deliveries);
        session.clock.set(clock);
        session.faults.value = faults;
        session.behaviour.value = behaviour;
        session.sandboxes.value = sandboxes.map(({ id }) => id);
        session.loaded.value = true;
        session.connection.value = { state: "live" };
      });
    } finally {
      this.#loading = false;
    }
    this.#applyPending();
  }

  /** Reads the sandboxes of the server, not more often than each second. */
  #readSandboxes(): void {
    if (this.#sandboxesTimer !== null) return;
    this.#sandboxesTimer = setTimeout(() => {
      this.#sandboxesTimer = null;
      const { server, sandboxes } = this.#session;
      server.call<SandboxInfo[]>("GET", "/sandboxes").then(
        (all) => {
          sandboxes.value = all.map(({ id }) => id);
        },
        () => {},
      );
    }, SANDBOXES_PAUSE_MS);
  }

  /** Applies events that wait together: the page is rendered once. What is left has its turn later. */
  #applyPending(): void {
    if (this.#loading || this.#timer !== null || this.#pending.length === 0) return;
    const events = this.#pending.splice(0, document.hidden ? this.#pending.length : MAX_EVENTS);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#applyPending();
    }, MIN_RENDER_MS);
    batch(() => this.#apply(events));
  }

  #apply(all: readonly StreamEvent[]): void {
    const session = this.#session;
    const reset = all.findLastIndex(({ event }) => event === "reset");
    if (reset !== -1) session.reset();
    for (const { event, data } of all) {
      if (event === "hello" || event === "reset") session.run.value = data.run;
      if (event === "reset" && data.loaded !== undefined)
        this.#notify(`Loaded anew: ${data.loaded.join(", ")}`);
    }
    const requests: RequestRecord[] = [];
    const deliveries: DeliveryRecord[] = [];
    const warnings: Warning[] = [];
    const controls: ControlNote[] = [];
    const threadChanges: ThreadChange[] = [];
    const changes: RecordChange[] = [];
    let allChanged = false;
    for (const { event, data } of all.slice(reset + 1)) {
      if (event === "request") requests.push(data);
      else if (event === "delivery") deliveries.push(data);
      else if (event === "warning") warnings.push(data);
      else if (event === "control") controls.push(controlNote(data));
      else if (event === "change") threadChanges.push(data);
      else if (event === "clock") session.clock.set(data);
      else if (event === "faults") this.#setFaults(data);
      else if (event === "sandboxes") this.#readSandboxes();
      else if (event === "ran") session.ran.value += 1;
      else if (event === "cleared") {
        // What came before it in the same batch is gone, too.
        (data.log === "requests" ? requests : warnings).length = 0;
        session[data.log].clear();
      } else if (event === "state" && "changes" in data) changes.push(...(data.changes as RecordChange[]));
      else if (event === "state") allChanged = true;
    }
    session.requests.put(requests);
    session.putControls(controls);
    session.putDeliveries(deliveries);
    session.warnings.put(warnings);
    session.firsts.note(requests, deliveries);
    session.apply(changes);
    session.changes.put(threadChanges.map((change) => session.noteOf(change)));
    if (allChanged) this.#load(this.#stop.signal).catch(() => {});
  }

  #setFaults({ changed, counts }: StreamData["faults"]): void {
    const { transport, faults } = this.#session;
    if (changed) {
      transport.call<FaultRule[]>("GET", "/faults").then(
        (rules) => {
          faults.value = rules;
        },
        () => {},
      );
      return;
    }
    const byId = new Map(counts.map((count) => [count.id, count]));
    faults.value = faults.value.map((rule) => ({ ...rule, ...byId.get(rule.id) }));
  }

  #disconnected(error: unknown): void {
    const refused = error instanceof SimError && error.status !== null;
    this.#session.connection.value = {
      state: !refused ? "lost" : error.status === 404 ? "gone" : "failed",
      error: errorMessage(error),
      retryAt: performance.now() + this.#pauseMs,
    };
  }

  async #pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, this.#pauseMs);
    this.#endPause = resolve;
    await promise;
    clearTimeout(timer);
    this.#pauseMs = Math.min(this.#pauseMs * 2, MAX_PAUSE_MS);
  }
}
