import { later } from "../kernel/realtime.js";

/** The moment from which nobody begins anything new. */
export class Finish {
  readonly #wakers = new Set<() => void>();
  #hasCome = false;

  get hasCome(): boolean {
    return this.#hasCome;
  }

  come(): void {
    this.#hasCome = true;
    for (const wake of this.#wakers) wake();
  }

  /** Lets real time pass. @returns false when the finish came first */
  pause(ms: number): Promise<boolean> {
    if (this.#hasCome) return Promise.resolve(false);
    return new Promise((resolve) => {
      const end = (isOver: boolean) => {
        timer.cancel();
        this.#wakers.delete(wake);
        resolve(isOver);
      };
      const wake = () => end(false);
      const timer = later(ms, () => end(true));
      this.#wakers.add(wake);
    });
  }
}
