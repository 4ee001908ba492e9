/** How much of a full map goes at once: one at a time, each would pass over the traces of all those before it. */
const SHARE = 1 / 8;

/** A map of at most `max` entries: one beyond them pushes out the oldest. */
export class BoundedMap<V> extends Map<string, V> {
  constructor(readonly max: number) {
    super();
  }

  override set(key: string, value: V): this {
    super.set(key, value);
    if (this.size <= this.max) return this;
    let left = Math.ceil(this.max * SHARE);
    for (const oldest of this.keys()) {
      this.delete(oldest);
      left -= 1;
      if (left === 0) break;
    }
    return this;
  }
}
