import { onAbort } from "../kernel/abort.js";

/** What one holder has of the slots, and who waits for more. */
interface Share {
  taken: number;
  readonly waiting: Set<() => void>;
}

/**
 * Slots that several share. A holder gets another one while it has fewer than are free: one alone takes half of them, two
 * a third each, and there is always one for who has none. A slot that is given back goes to the one who has fewest.
 */
export class FairShares {
  readonly #shares = new Map<string, Share>();
  #free: number;

  constructor(slots: number) {
    this.#free = slots;
  }

  /** Takes a slot, as soon as there is one. @throws the signal's reason when the signal is aborted before */
  async take(holder: string, signal: AbortSignal): Promise<void> {
    const share = this.#shares.get(holder) ?? { taken: 0, waiting: new Set() };
    this.#shares.set(holder, share);
    if (share.waiting.size === 0 && share.taken < this.#free) return this.#give(share);
    await new Promise<void>((resolve) => {
      const end = () => {
        share.waiting.delete(end);
        forget();
        resolve();
      };
      const forget = onAbort(signal, () => {
        share.waiting.delete(end);
        this.#drop(holder, share);
        resolve();
      });
      if (!signal.aborted) share.waiting.add(end);
    });
    signal.throwIfAborted();
  }

  giveBack(holder: string): void {
    const share = this.#shares.get(holder);
    if (share === undefined) return;
    share.taken -= 1;
    this.#free += 1;
    this.#drop(holder, share);
    for (let next = this.#poorest(); next !== undefined; next = this.#poorest()) {
      const [first] = next.waiting;
      this.#give(next);
      first?.();
    }
  }

  #give(share: Share): void {
    share.taken += 1;
    this.#free -= 1;
  }

  /** Of those who wait and may take a slot, the one who has fewest. */
  #poorest(): Share | undefined {
    let poorest: Share | undefined;
    for (const share of this.#shares.values()) {
      if (share.waiting.size === 0 || share.taken >= this.#free) continue;
      if (poorest === undefined || share.taken < poorest.taken) poorest = share;
    }
    return poorest;
  }

  #drop(holder: string, { taken, waiting }: Share): void {
    if (taken === 0 && waiting.size === 0) this.#shares.delete(holder);
  }
}
