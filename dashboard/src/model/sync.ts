import { batch } from "@preact/signals";
import { SimError } from "../../../src/client/errors.js";
import { errorMessage } from "../lib/control";
import { applyEvents } from "./apply-events";
import { ENDED, liveBatches, SILENT } from "./live-batches";
import { loadAll } from "./loading";
import type { Session } from "./session";
import type { Health, SandboxInfo, StreamEvent } from "./types";

const MIN_PAUSE_MS = 250;
const MAX_PAUSE_MS = 4_000;
/** The page is rendered at most this often, ms; less often while more happens than anybody reads; with at most so many events each time. */
const MIN_RENDER_MS = 100;
const BUSY_RENDER_MS = 250;
const BUSY_EVENTS = 50;
const MAX_EVENTS = 500;
/** With more events that wait the page connects anew, and loads what the logs hold by then. */
const MAX_PENDING = 20_000;
const SANDBOXES_PAUSE_MS = 1_000;
/** The code of a stream that the page gave up because nobody sees it. */
const HIDDEN = "hidden";
const TOO_FAST = "too many events for the page";

/**
 * Keeps a session in step with its sandbox: loads it, follows the stream, and tries again when the stream breaks off. A tab
 * that nobody sees has no stream: a browser has six connections to a server, and streams of many tabs would leave none for
 * calls.
 */
export class Sync {
  readonly #session: Session;
  readonly #notify: (text: string, tone?: "bad") => void;
  readonly #stop = new AbortController();
  /** Events of the stream that are not applied yet. */
  #pending: StreamEvent[] = [];
  /** Runs while the next rendering has to wait. */
  #timer: ReturnType<typeof setTimeout> | null = null;
  #sandboxesTimer: ReturnType<typeof setTimeout> | null = null;
  #loading = false;
  #pauseMs = MIN_PAUSE_MS;
  #endPause: () => void = () => {};

  readonly #listener = {
    sandboxes: () => this.#readSandboxes(),
    everything: () => void this.#load(this.#stop.signal).catch(() => {}),
  };

  /** `notify` says what a reader of the page should know of what others did. */
  constructor(session: Session, notify: (text: string, tone?: "bad") => void) {
    this.#session = session;
    this.#notify = notify;
  }

  /** Follows the sandbox until `close`. */
  async run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await this.#seen();
      try {
        await this.#follow();
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        const code = error instanceof SimError ? error.code : undefined;
        if (code === SILENT) this.#session.access.giveUp();
        if (code === HIDDEN) continue;
        // The next try tells whether the sandbox is gone, or the server.
        if (code !== ENDED) await this.#disconnected(error);
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

  /** Resolves when somebody can see the page, or it is closed. */
  async #seen(): Promise<void> {
    const { signal } = this.#stop;
    while (document.hidden && !signal.aborted) await once(document, "visibilitychange", signal);
  }

  /** Follows one stream to its end. Always throws: what ended it. */
  async #follow(): Promise<never> {
    const over = new AbortController();
    const signal = AbortSignal.any([this.#stop.signal, over.signal]);
    const onHidden = () => {
      if (document.hidden) over.abort(new SimError("nobody sees the page", null, HIDDEN));
    };
    document.addEventListener("visibilitychange", onHidden, { signal });
    this.#pending = [];
    try {
      for await (const events of liveBatches(this.#session.transport, signal)) {
        this.#pending.push(...events);
        if (this.#pending.length > MAX_PENDING) throw new SimError(TOO_FAST, null, "unreachable");
        if (events.some(({ event }) => event === "hello"))
          this.#load(signal, this.#isRestarted(signal)).then(
            () => {
              this.#pauseMs = MIN_PAUSE_MS;
            },
            (error) => over.abort(error),
          );
        this.#applyPending();
      }
      throw over.signal.reason ?? new SimError("the stream ended", null, ENDED);
    } finally {
      over.abort();
    }
  }

  /** Loads everything anew. In the meantime events of the stream wait. */
  async #load(signal: AbortSignal, restarted?: Promise<boolean>): Promise<void> {
    this.#loading = true;
    try {
      if (await restarted) {
        this.#session.reset();
        this.#session.undos.clear();
        this.#notify("The simulator was restarted with a new state.", "bad");
      }
      await loadAll(this.#session, signal);
    } finally {
      this.#loading = false;
    }
    this.#applyPending();
  }

  /** Whether the server began after the page heard of it last, and keeps nothing over its end. */
  async #isRestarted(signal: AbortSignal): Promise<boolean> {
    const session = this.#session;
    const { serverSeen: seen } = session;
    const { uptimeMs, store } = await session.server.call<Health>("GET", "/health", { signal });
    const now = performance.now();
    session.serverSeen = now;
    return seen !== undefined && uptimeMs < now - seen && store === undefined;
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
    const events = this.#pending.splice(0, MAX_EVENTS);
    this.#timer = setTimeout(
      () => {
        this.#timer = null;
        this.#applyPending();
      },
      events.length < BUSY_EVENTS ? MIN_RENDER_MS : BUSY_RENDER_MS,
    );
    batch(() => applyEvents(this.#session, events, this.#listener));
  }

  async #disconnected(error: unknown): Promise<void> {
    const { connection } = this.#session;
    const before = connection.peek();
    const status = error instanceof SimError ? error.status : null;
    const state = status === null ? "lost" : status === 404 ? "gone" : "failed";
    const isKnown = state === "gone" && before.state === state;
    const text = isKnown ? before.error : state === "gone" ? await this.#whyGone() : errorMessage(error);
    connection.value = { state, error: text, retryAt: performance.now() + this.#pauseMs };
  }

  async #whyGone(): Promise<string> {
    const { sandbox, serverSeen } = this.#session;
    if (serverSeen === undefined) return `There is no sandbox ${sandbox} on this server.`;
    const isRestarted = await this.#isRestarted(this.#stop.signal).catch(() => false);
    return isRestarted
      ? `The simulator was restarted without sandbox ${sandbox}.`
      : `Sandbox ${sandbox} was deleted.`;
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

/** Resolves with the next event of a type, or when `signal` aborts. */
function once(target: EventTarget, type: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    target.addEventListener(type, () => resolve(), { once: true, signal });
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
