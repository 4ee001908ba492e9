/** Counts calls or queues that are in flight, and tells when none is. */
export class InFlightCounter {
  count = 0;
  #waiting: (() => void)[] = [];
  #closed = false;

  get idle(): boolean {
    return this.count === 0;
  }

  enter(): void {
    if (!this.#closed) this.count += 1;
  }

  leave(): void {
    if (this.#closed) return;
    this.count -= 1;
    if (this.count === 0) this.#resolve();
  }

  /** Counts nothing from now on: who waits is told that nothing is on its way. */
  close(): void {
    this.#closed = true;
    this.count = 0;
    this.#resolve();
  }

  settled(): Promise<void> {
    return this.idle ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve));
  }

  #resolve(): void {
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
