/** Counts calls or queues in flight, and notifies when there are none. */
export class InFlightCounter {
  count = 0;
  readonly #waiting: (() => void)[] = [];
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

  /** Stops counting: whoever waits is notified that nothing is in flight. */
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
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
