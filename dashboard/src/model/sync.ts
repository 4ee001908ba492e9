import { ApiError, CONTROL, Unreachable, wordsOf } from "../lib/api";
import { readEvents, type StreamEvent } from "../lib/sse";
import type { StreamUpdate } from "./changes";
import type { Session } from "./session";
import { HELD } from "./tables";
import type {
  Change,
  ClockState,
  Delivery,
  FaultRule,
  Records,
  RequestRecord,
  SandboxInfo,
  Warning,
} from "./types";

const MIN_PAUSE_MS = 250;
const MAX_PAUSE_MS = 4_000;
/** How many of the newest entries of each log are loaded. */
const LOG_PAGE = 2_000;

type Faults = { changed: boolean; counts: readonly Pick<FaultRule, "id" | "seen" | "fired">[] };
type State = { readonly all?: boolean; readonly changes?: readonly Change[] };

/** Keeps a session in step with its sandbox: loads what is there, follows the stream, tries again when it breaks off. */
export class Sync {
  readonly #session: Session;
  readonly #stop = new AbortController();
  /** What the stream tells while everything is being loaded; null when it is taken in at once. */
  #waiting: StreamEvent[] | null = null;
  #pause = MIN_PAUSE_MS;
  #wake: () => void = () => {};

  constructor(session: Session) {
    this.#session = session;
  }

  /** Follows the sandbox until `close`. */
  async run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        await this.#follow();
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        this.#lost(error);
      }
      await this.#paused();
    }
  }

  close(): void {
    this.#stop.abort();
    this.#wake();
  }

  /** Tries at once instead of waiting for the next turn. */
  retry(): void {
    this.#wake();
  }

  async #follow(): Promise<void> {
    const { api } = this.#session;
    const over = new AbortController();
    const signal = AbortSignal.any([this.#stop.signal, over.signal]);
    const response = await api.open("GET", `${api.base}/stream`, undefined, signal);
    this.#waiting = [];
    const reading = readEvents(response.body as ReadableStream<Uint8Array>, (events) => this.#take(events));
    try {
      await Promise.race([
        this.#load(signal),
        reading.then(() => {
          throw new Unreachable("the stream ended");
        }),
      ]);
      this.#pause = MIN_PAUSE_MS;
      await reading;
      throw new Unreachable("the stream ended");
    } finally {
      over.abort();
      reading.catch(() => {});
    }
  }

  async #load(signal: AbortSignal): Promise<void> {
    const session = this.#session;
    const { api, tables, topics } = session;
    const [requests, deliveries, warnings] = await Promise.all([
      api.get<RequestRecord[]>(`/requests?limit=${LOG_PAGE}`, signal),
      api.get<Delivery[]>(`/deliveries?limit=${LOG_PAGE}`, signal),
      api.get<Warning[]>(`/warnings?limit=${LOG_PAGE}`, signal),
      api.get<ClockState>("/clock", signal).then((clock) => session.setClock(clock)),
      api.get<FaultRule[]>("/faults", signal).then((faults) => session.setFaults(faults)),
      this.refresh(signal),
      session.conversation?.load(),
      ...HELD.map(async (name) =>
        tables.load(name, await api.get<Records[typeof name][]>(`/data/${name}`, signal)),
      ),
    ]);
    session.requests.load(requests);
    session.deliveries.load(deliveries);
    session.warnings.load(warnings);
    session.loaded = true;
    session.connection = "live";
    for (const topic of ["connection", "threads", "records", "requests", "deliveries", "warnings"] as const)
      topics.mark(topic);
    topics.mark("conversation");
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    this.#take(waiting);
    topics.flush();
  }

  /** What the stream does not tell of. */
  async refresh(signal?: AbortSignal): Promise<void> {
    const session = this.#session;
    const [behaviour, sandboxes] = await Promise.all([
      session.api.get<Session["behaviour"]>("/behaviour", signal),
      session.api.server<SandboxInfo[]>("/sandboxes"),
    ]);
    if (JSON.stringify(behaviour) !== JSON.stringify(session.behaviour)) session.setBehaviour(behaviour);
    if (
      JSON.stringify(sandboxes.map(({ id }) => id)) !== JSON.stringify(session.sandboxes.map(({ id }) => id))
    ) {
      session.sandboxes = sandboxes;
      session.topics.mark("sandboxes");
    }
    session.topics.flush();
  }

  #take(events: readonly StreamEvent[]): void {
    if (this.#waiting !== null) {
      this.#waiting.push(...events);
      return;
    }
    const session = this.#session;
    const requests: RequestRecord[] = [];
    const deliveries: Delivery[] = [];
    const changes: Change[] = [];
    const told: StreamUpdate[] = [];
    let warned = false;
    for (const { event, data } of events) {
      const value = JSON.parse(data);
      if (event === "request") {
        requests.push(value);
        told.push({ request: value });
      } else if (event === "delivery") {
        told.push({ delivery: value, fresh: session.deliveries.get(value.id) === undefined });
        deliveries.push(value);
      } else if (event === "warning") {
        session.warnings.put([value]);
        warned = true;
      } else if (event === "state") {
        const { all, changes: happened = [] }: State = value;
        if (all) void this.#reload();
        changes.push(...happened);
        told.push({ changes: happened });
      } else if (event === "clock") session.setClock(value);
      else if (event === "faults") this.#faults(value);
      else if (event === "hello") session.version = value.version;
      else if (event === "reset") this.#reset();
    }
    session.requests.put(requests);
    session.deliveries.put(deliveries);
    session.caused.note(told);
    session.apply(changes);
    if (requests.length > 0) session.topics.mark("requests");
    if (deliveries.length > 0) session.topics.mark("deliveries");
    if (warned) session.topics.mark("warnings");
    session.topics.flush();
  }

  #faults({ changed, counts }: Faults): void {
    const session = this.#session;
    if (changed) {
      void session.api.get<FaultRule[]>("/faults").then(
        (faults) => {
          session.setFaults(faults);
          session.topics.flush();
        },
        () => {},
      );
      return;
    }
    const byId = new Map(counts.map((count) => [count.id, count]));
    session.setFaults(session.faults.map((rule) => ({ ...rule, ...byId.get(rule.id) })));
  }

  #reset(): void {
    const session = this.#session;
    for (const log of [session.requests, session.deliveries, session.warnings]) log.clear();
    session.activity.clear();
    session.caused.clear();
    for (const topic of ["requests", "deliveries", "warnings"] as const) session.topics.mark(topic);
  }

  /** The whole state was replaced: everything is loaded again, in the meantime the stream's news wait. */
  async #reload(): Promise<void> {
    if (this.#waiting !== null) return;
    this.#waiting = [];
    try {
      await this.#load(this.#stop.signal);
    } catch {
      this.#waiting = null;
    }
  }

  #lost(error: unknown): void {
    const session = this.#session;
    const gone = error instanceof ApiError && error.status === 404;
    session.connection = gone ? "gone" : error instanceof ApiError ? "failed" : "lost";
    session.trouble = wordsOf(error);
    session.retryAt = performance.now() + this.#pause;
    session.topics.mark("connection");
    session.topics.flush();
  }

  async #paused(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, this.#pause);
    this.#wake = resolve;
    await promise;
    clearTimeout(timer);
    this.#pause = Math.min(this.#pause * 2, MAX_PAUSE_MS);
  }
}

export const serverName = (): string => `${location.host}${CONTROL === "/__sim" ? "" : CONTROL}`;
