import { wordsOf } from "../lib/api";
import type { Session } from "./session";
import type { Change, Message } from "./types";

/** The messages of the thread that is open. */
export class Conversation {
  messages: readonly Message[] = [];
  state: "loading" | "ready" | "failed" = "loading";
  trouble = "";
  /** Changes that came while the messages were on their way. */
  #waiting: Change<"messages">[] | null = [];

  constructor(
    readonly session: Session,
    readonly threadId: string,
  ) {}

  async load(): Promise<void> {
    this.#waiting = [];
    try {
      const query = new URLSearchParams({ threadId: this.threadId });
      const messages = await this.session.api.get<Message[]>(`/data/messages?${query}`);
      this.messages = messages;
      this.state = "ready";
      const waiting = this.#waiting ?? [];
      this.#waiting = null;
      for (const change of waiting) this.apply(change);
    } catch (error) {
      this.state = this.messages.length > 0 ? "ready" : "failed";
      this.trouble = wordsOf(error);
    }
    this.session.topics.mark("conversation");
    this.session.topics.flush();
  }

  apply(change: Change<"messages">): void {
    const { id, before, after } = change;
    if ((after ?? before)?.threadId !== this.threadId) return;
    if (this.#waiting !== null) {
      this.#waiting.push(change);
      return;
    }
    const at = this.messages.findLastIndex((message) => message.id === id);
    if (after === null) this.messages = this.messages.filter((message) => message.id !== id);
    else this.messages = at === -1 ? [...this.messages, after] : this.messages.with(at, after);
  }
}
