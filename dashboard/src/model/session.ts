import type { Api } from "../lib/api";
import { Topics } from "../lib/topics";
import { Activity } from "./activity";
import { CausedChanges } from "./changes";
import { Conversation } from "./conversation";
import { LiveLog } from "./live-log";
import { Tables } from "./tables";
import { threadOfRequest } from "./threads-of";
import type {
  BehaviourRow,
  Change,
  ClockState,
  Delivery,
  FaultRule,
  Report,
  RequestRecord,
  SandboxInfo,
  Warning,
} from "./types";

/** How the page stands with its server. `gone`: the sandbox is not there (any more). */
export type Connection = "connecting" | "live" | "lost" | "gone" | "failed";

export type Topic =
  | "connection"
  | "threads"
  | "records"
  | "conversation"
  | "requests"
  | "deliveries"
  | "warnings"
  | "faults"
  | "behaviour"
  | "clock"
  | "sandboxes"
  | "reports";

/** Everything that the page knows about one sandbox. Filled by `Sync`, shown by the components. */
export class Session {
  readonly topics = new Topics<Topic>();
  connection: Connection = "connecting";
  /** Why the connection is not live, in words. */
  trouble = "";
  /** When the next try is made, in ms of the page's own clock. */
  retryAt = 0;
  loaded = false;
  version = "";
  readonly tables = new Tables();
  readonly activity = new Activity();
  readonly caused = new CausedChanges();
  readonly requests = new LiveLog<RequestRecord>(threadOfRequest);
  readonly deliveries = new LiveLog<Delivery>((delivery) => delivery.threadId);
  readonly warnings = new LiveLog<Warning>((warning) => warning.requestId);
  faults: readonly FaultRule[] = [];
  behaviour: readonly BehaviourRow[] = [];
  sandboxes: readonly SandboxInfo[] = [];
  /** Reports of scenarios that were run from this page, by name. */
  readonly reports = new Map<string, Report | "running" | Error>();
  conversation: Conversation | null = null;
  #clock: ClockState & { readonly readAt: number } = { now: 0, frozen: true, readAt: 0 };

  constructor(readonly api: Api) {}

  /** The sandbox's time: a running clock goes on between two readings. */
  now(): number {
    const { now, frozen, readAt } = this.#clock;
    return frozen ? now : now + (performance.now() - readAt);
  }

  get frozen(): boolean {
    return this.#clock.frozen;
  }

  setClock({ now, frozen }: ClockState): void {
    this.#clock = { now, frozen, readAt: performance.now() };
    this.topics.mark("clock");
  }

  setFaults(faults: readonly FaultRule[]): void {
    this.faults = faults;
    this.topics.mark("faults");
  }

  setBehaviour(rows: readonly BehaviourRow[]): void {
    this.behaviour = rows;
    this.topics.mark("behaviour");
  }

  behaviourValue(key: BehaviourRow["key"]): unknown {
    return this.behaviour.find((row) => row.key === key)?.value;
  }

  /** Opens a thread: its messages are loaded and kept up to date until another is opened. */
  open(threadId: string | null): void {
    if (this.conversation?.threadId === threadId) return;
    this.conversation = threadId === null ? null : new Conversation(this, threadId);
    if (threadId !== null) this.activity.read(threadId);
    this.topics.mark("conversation");
    this.topics.mark("threads");
    this.topics.flush();
    void this.conversation?.load();
  }

  /** Takes in replaced records. */
  apply(changes: readonly Change[]): void {
    for (const change of changes) {
      this.activity.note(change, this.conversation?.threadId ?? null);
      this.tables.apply(change);
      if (change.collection === "messages") this.conversation?.apply(change as Change<"messages">);
      else this.topics.mark("records");
      this.topics.mark(change.collection === "messages" ? "conversation" : "threads");
      if (change.collection === "messages") this.topics.mark("threads");
    }
  }

  /** Runs an action of the person at the page; what changed is told at its end. */
  async act<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } finally {
      this.topics.flush();
    }
  }
}
