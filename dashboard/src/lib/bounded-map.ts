/** A map of at most `max` entries: each one beyond them pushes out the oldest. */
export class BoundedMap<V> extends Map<string, V> {
  constructor(readonly max: number) {
    super();
  }

  override set(key: string, value: V): this {
    super.set(key, value);
    const [oldest] = this.keys();
    if (this.size > this.max && oldest !== undefined) this.delete(oldest);
    return this;
  }
}
