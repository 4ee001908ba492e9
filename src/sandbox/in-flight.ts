/** Counts what is on its way, and tells when nothing is. */
export class InFlightCounter {
  #count = 0;
  #waiting: (() => void)[] = [];

  get idle(): boolean {
    return this.#count === 0;
  }

  get count(): number {
    return this.#count;
  }

  enter(): void {
    this.#count += 1;
  }

  leave(): void {
    this.#count -= 1;
    if (this.#count > 0 || this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  /** Resolves when nothing is on its way. */
  settled(): Promise<void> {
    return this.idle ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve));
  }
}
