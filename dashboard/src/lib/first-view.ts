import { CONTROL } from "./address";
import { parseRoute } from "./route";

/** How many threads the first view has: more than are in sight. */
const THREADS = 50;

/** The key under which the tab keeps the control token. */
export const TOKEN_KEY = "messaging-sim.control-token";

/** The paths of what the first view shows, below the sandbox's address. */
export const firstPaths = (thread: string | null) => ({
  threads: `/data/threads?_embed=customer&_page=1&_per_page=${THREADS}`,
  thread: thread && `/data/threads?_embed=customer&id=${encodeURIComponent(thread)}`,
  messages: thread && `/data/messages?threadId=${encodeURIComponent(thread)}`,
  businesses: "/data/businesses",
  clock: "/clock",
});

/** Answers that were asked for before the program was there to read them. */
class FirstView {
  readonly #answers = new Map<string, Promise<Response>>();

  /** Asks for what the address shows. */
  ask(search: string): void {
    const { sandbox, thread } = parseRoute(search);
    const base = sandbox === "default" ? CONTROL : `${CONTROL}/sandboxes/${encodeURIComponent(sandbox)}`;
    const token = sessionStorage.getItem(TOKEN_KEY);
    const headers = new Headers(token === null ? [] : [["Authorization", `Bearer ${token}`]]);
    for (const path of Object.values(firstPaths(thread))) {
      if (path === null || path === "") continue;
      const answer = fetch(base + path, { headers, cache: "no-store" });
      answer.catch(() => {});
      this.#answers.set(base + path, answer);
    }
  }

  /** The answer to a call, once; undefined where it was not asked for. */
  take(url: string): Promise<Response> | undefined {
    const answer = this.#answers.get(url);
    this.#answers.delete(url);
    return answer;
  }
}

export const firstView = new FirstView();
