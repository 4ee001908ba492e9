import { computed, signal } from "@preact/signals";
import { Transport } from "../../../src/client/transport.js";
import { sandboxToken } from "../../../src/kernel/names.js";
import type { Access } from "../lib/access";
import { CONTROL } from "../lib/address";
import { BoundedMap } from "../lib/bounded-map";
import { type ChangeNote, changeNote } from "../story/change-note";
import { type ControlNote, requestRank } from "../story/control-note";
import type { Origin } from "../story/turns";
import { Activity } from "./activity";
import { Causes } from "./causes";
import { Conversation } from "./conversation";
import { Firsts } from "./firsts";
import { LiveLog } from "./live-log";
import type { Runs } from "./runs";
import { SandboxClock } from "./sandbox-clock";
import { Tables } from "./tables";
import type {
  BehaviourKey,
  BehaviourRow,
  BehaviourValues,
  DeliveryRecord,
  FaultRule,
  Message,
  Report,
  RequestRecord,
  Thread,
  ThreadChange,
  Warning,
  WindowView,
} from "./types";
import type { Undos } from "./undo";

/** How the page is connected to its server. `gone`: there is no such sandbox, or no longer. */
export type Connection =
  | { readonly state: "connecting" | "live" }
  | {
      readonly state: "lost" | "gone" | "failed";
      readonly error: string;
      /** When the next try is made, in ms of the page's own clock. */
      readonly retryAt: number;
    };

const MAX_DRAFTS = 200;
const MAX_HEARD = 2_000;

/** Everything that the page knows about one sandbox. `Sync` fills it, the components show it. */
export class Session {
  readonly connection = signal<Connection>({ state: "connecting" });
  /** Whether the page has something to show. */
  readonly loaded = signal(false);
  readonly clock = new SandboxClock();
  readonly tables = new Tables();
  readonly activity = new Activity();
  readonly causes = new Causes();
  readonly firsts = new Firsts();
  /** Whether the dialog is open that connects a bot. */
  readonly connecting = signal(false);
  readonly requests = new LiveLog<RequestRecord>();
  readonly deliveries = new LiveLog<DeliveryRecord>();
  /** The threads whose newest event was not delivered. */
  readonly failing = computed<ReadonlySet<string>>(() => {
    const newest = new Map(this.deliveries.entries.map(({ threadId, status }) => [threadId, status]));
    return new Set([...newest].flatMap(([id, status]) => (status === "failed" ? [id] : [])));
  });
  readonly controls = new LiveLog<ControlNote>();
  /** How threads have changed. */
  readonly changes = new LiveLog<ChangeNote>();
  /** When the page heard of messages, in ms of its own clock. */
  readonly heard = new BoundedMap<number>(MAX_HEARD);
  readonly warnings = new LiveLog<Warning>();
  readonly faults = signal<readonly FaultRule[]>([]);
  /** The rules that may still fire. */
  readonly armed = computed(() =>
    this.faults.value.filter(({ times, fired }) => times === undefined || fired < times),
  );
  /** The report of the newest posted scenario since the page was opened, or the sandbox reset. */
  readonly ran = signal<Report | null>(null);
  readonly behaviour = signal<readonly BehaviourRow[]>([]);
  /** The ids of all sandboxes of the server. */
  readonly sandboxes = signal<readonly string[]>([]);
  /** The number of the sandbox's run, which a reset ends: ids of entries begin again with each. */
  readonly run = signal<number | null>(null);
  /** The open conversation. */
  readonly conversation = signal<Conversation | null>(null);
  /** What was written and not sent, by thread and author. */
  readonly drafts = new BoundedMap<string>(MAX_DRAFTS);
  /** Calls of the control API for this sandbox. */
  readonly transport: Transport;
  /** Calls of the control API for the whole server, such as `/sandboxes`. */
  readonly server: Transport;
  /** When the page last heard of the server that it runs, in ms of its own clock; undefined before it has. */
  serverSeen: number | undefined;

  constructor(
    readonly access: Access,
    readonly sandbox: string,
    readonly runs: Runs,
    readonly undos: Undos,
  ) {
    this.server = new Transport(CONTROL, access);
    this.transport = this.server.ofSandbox(sandbox);
  }

  /** The sandbox's own value; undefined while the table is being loaded. */
  behaviourValue<Key extends BehaviourKey>(key: Key): BehaviourValues[Key] | undefined {
    return this.behaviour.value.find((row) => row.key === key)?.value as BehaviourValues[Key] | undefined;
  }

  /** What decides whether a messaging window is open. */
  windowView(): WindowView {
    const channels = this.behaviourValue("window.channels") ?? [];
    return { now: this.clock.now(), behaviour: { "window.channels": channels } };
  }

  /** The API key of somebody who may use the thread, for command lines to copy. */
  apiKey(thread: Thread | undefined): string {
    return this.keyOf(this.tables.tokenFor(thread) ?? "YOUR-TOKEN");
  }

  /** The API key that means a token of the fixture in this sandbox. */
  keyOf(token: string): string {
    return sandboxToken(this.sandbox, token);
  }

  /** Opens a thread in place of the one that is open: its messages are loaded and kept up to date. */
  open(threadId: string | null): void {
    if (threadId === (this.conversation.peek()?.threadId ?? null)) return;
    const opened = threadId === null ? null : new Conversation(this, threadId);
    this.conversation.value = opened;
    if (opened === null) return;
    this.activity.markRead(opened.threadId);
    // The first load of all brings its messages.
    if (this.loaded.peek()) void opened.load();
  }

  /** The conversation of a thread, while it is open. */
  conversationOf(threadId: string): Conversation | undefined {
    const open = this.conversation.value;
    return open?.threadId === threadId ? open : undefined;
  }

  /** What a conversation tells of a change of its thread. */
  noteOf(change: ThreadChange): ChangeNote {
    return changeNote(change, (id) => this.tables.businesses.get(id)?.name ?? id);
  }

  /** Whether a thread is resolved, and was not yet when a message was written. */
  isResolvedSince(threadId: string, messageId: string): boolean {
    if (this.tables.threads.get(threadId)?.status !== "resolved") return false;
    const last = this.changes.entries.findLast((change) => change.threadId === threadId && change.resolves);
    if (last === undefined) return false;
    const rankOf = (cause: string | null | undefined) =>
      cause?.startsWith("r") ? requestRank(cause) : this.controls.get(cause ?? "")?.rank;
    return (
      (rankOf(last.causedBy) ?? Number.POSITIVE_INFINITY) > (rankOf(this.causes.writerOf(messageId)) ?? 0)
    );
  }

  /** How a message came to be; undefined where nothing says so. */
  originOf({ id }: Message): Origin | undefined {
    const writer = this.causes.writerOf(id);
    if (writer === undefined) return undefined;
    if (writer.startsWith("r")) return this.requests.get(writer)?.by === "scenario" ? "scenario" : "api";
    return this.controls.get(writer)?.by ?? "control";
  }

  /** Forgets what happened in the sandbox before it was reset. */
  reset(): void {
    const { requests, deliveries, controls, changes, warnings, activity, causes, heard, firsts } = this;
    for (const log of [requests, deliveries, controls, changes, warnings, activity, causes, heard, firsts])
      log.clear();
    this.ran.value = null;
  }
}
