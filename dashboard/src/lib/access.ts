const KEY = "messaging-sim.control-token";

/** Whether the page waits for a control token, and whether the one that it was given was refused. */
export interface Asking {
  readonly refused: boolean;
}

/** The control token: kept for this tab of the browser, asked for when a call is answered with 401. */
export class Access {
  asking: Asking | null = null;
  #answered: Promise<void> | null = null;
  #resolve: () => void = () => {};
  #onChange: () => void = () => {};

  onChange(listener: () => void): void {
    this.#onChange = listener;
  }

  get token(): string | null {
    return sessionStorage.getItem(KEY);
  }

  /** Headers that prove who calls. */
  headers(): Record<string, string> {
    const { token } = this;
    return token === null ? {} : { Authorization: `Bearer ${token}` };
  }

  /** Resolves when a token was entered. Calls that are refused at the same time share one question. */
  ask(used: string | null): Promise<void> {
    if (this.#answered !== null) return this.#answered;
    if (used !== this.token) return Promise.resolve();
    this.asking = { refused: used !== null };
    this.#answered = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#onChange();
    return this.#answered;
  }

  answer(token: string): void {
    sessionStorage.setItem(KEY, token.trim());
    this.asking = null;
    this.#answered = null;
    this.#onChange();
    this.#resolve();
  }
}
