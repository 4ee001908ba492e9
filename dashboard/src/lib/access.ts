import { signal } from "@preact/signals";
import type { HttpRequest } from "../../../src/client/http.js";
import { omitUndefined } from "../../../src/kernel/objects.js";
import { STANDS_STILL } from "./control";

/** The key under which the tab keeps the control token. */
const KEY = "messaging-sim.control-token";

/** The page asks for the control token; `refused` where the server refused the last one. */
interface TokenPrompt {
  readonly refused: boolean;
}

/** The control token: kept for this tab of the browser, asked for when the server answers a call with 401. */
export class Access {
  /** What the log of control calls says of the page's own. */
  readonly maker = "page";
  readonly prompt = signal<TokenPrompt | null>(null);
  #answered: PromiseWithResolvers<void> | null = null;
  /** Ends the calls that are under way. */
  #end = new AbortController();

  get token(): string | null {
    return sessionStorage.getItem(KEY);
  }

  /** Sends a call with the token; where the server refuses that, again with the one that the person enters. */
  readonly fetch = async (
    url: string,
    { headers, body, signal, ...request }: HttpRequest,
  ): Promise<Response> => {
    for (;;) {
      const { token } = this;
      const Authorization = token === null ? undefined : `Bearer ${token}`;
      const response = await fetch(url, {
        ...request,
        headers: { ...headers, ...omitUndefined({ Authorization }) },
        body: body ?? null,
        signal: AbortSignal.any([this.#end.signal, ...(signal === undefined ? [] : [signal])]),
        cache: "no-store",
      });
      if (response.status !== 401) return response;
      await this.#ask(token);
    }
  };

  /** Gives up the calls that are under way: nobody answers them. */
  giveUp(): void {
    this.#end.abort(new DOMException(STANDS_STILL, "TimeoutError"));
    this.#end = new AbortController();
  }

  /** Resolves when the person has entered a token. Calls that are refused at the same time share one prompt. */
  #ask(used: string | null): Promise<void> {
    if (this.#answered === null) {
      if (used !== this.token) return Promise.resolve();
      this.#answered = Promise.withResolvers();
      this.prompt.value = { refused: used !== null };
    }
    return this.#answered.promise;
  }

  answer(token: string): void {
    sessionStorage.setItem(KEY, token.trim());
    this.prompt.value = null;
    this.#answered?.resolve();
    this.#answered = null;
  }
}
