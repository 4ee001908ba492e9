import { computed, effect, signal, untracked } from "@preact/signals";
import { Access } from "../lib/access";
import { parseRoute, type Route, routeSearch } from "../lib/route";
import { forgetRun } from "./run-scenario";
import { Runs } from "./runs";
import { Session } from "./session";
import { Sync } from "./sync";
import { Undos } from "./undo";

/** A short message. */
interface Notice {
  readonly id: number;
  readonly text: string;
  readonly tone: "good" | "bad";
  /** When there was time to read it, ms of the page. */
  readonly until: number;
}

/** Who looked elsewhere still finds a notice: after this time it goes as soon as somebody is there, not before. */
const NOTICE_MS = { good: 3_000, bad: 8_000 };
const MAX_NOTICES = 3;

/**
 * The state of the page, all of it in signals: where it is, what it says, what can be undone, and the session of the sandbox
 * that is shown. A component that reads one is rendered again when it changes.
 */
export class Page {
  readonly #route = signal(parseRoute(location.search));
  readonly #sandbox = computed(() => this.#route.value.sandbox);
  readonly #thread = computed(() => this.#route.value.thread);
  readonly notices = signal<readonly Notice[]>([]);
  readonly access = new Access();
  readonly #runs = new Runs();
  readonly #followed = computed(() => {
    const session = new Session(this.access, this.#sandbox.value, this.#runs, this.#undos);
    return { session, sync: new Sync(session, this.notify) };
  });
  /** The entry that was opened by hand and waits for the focus; not one that an address names. */
  readonly opened = signal<string | null>(null);

  /** Shows a notice. */
  readonly notify = (text: string, tone: Notice["tone"] = "good"): void => {
    const now = performance.now();
    const notice = { id: now + Math.random(), text, tone, until: now + NOTICE_MS[tone] };
    this.notices.value = [...this.notices.peek(), notice].slice(-MAX_NOTICES);
  };

  /** Goes to another route; the address follows. */
  readonly navigate = (to: Partial<Route>, { replace = false } = {}): void => {
    const next: { -readonly [K in keyof Route]: Route[K] } = { ...parseRoute(location.search), ...to };
    if (next.item === null) next.run = null;
    const search = routeSearch(next);
    if (search !== location.search) history[replace ? "replaceState" : "pushState"](null, "", search);
    this.#route.value = next;
  };
  readonly #undos = new Undos(this.notify);

  /** Follows the address, and the sandbox that it names. */
  start(): void {
    addEventListener("popstate", () => {
      this.#route.value = parseRoute(location.search);
    });
    effect(() => {
      const { session, sync } = this.#followed.value;
      untracked(() => void sync.run());
      return () => {
        sync.close();
        if (this.#runs.kept === session.sandbox) void forgetRun(session);
      };
    });
    effect(() => {
      const { session } = this;
      const thread = this.#thread.value;
      untracked(() => session.open(thread));
    });
  }

  get route(): Route {
    return this.#route.value;
  }

  get session(): Session {
    return this.#followed.value.session;
  }

  get sync(): Sync {
    return this.#followed.value.sync;
  }

  /** Takes away the notices that there was time to read. */
  dropRead(): void {
    const isLeft = ({ until }: Notice) => until > performance.now();
    const all = this.notices.peek();
    if (!all.every(isLeft)) this.notices.value = all.filter(isLeft);
  }
}
