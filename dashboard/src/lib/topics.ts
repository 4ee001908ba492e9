import { useEffect, useReducer } from "preact/hooks";

/** Tells whoever shows something that it has changed. Changes are collected by `mark` and told once, by `flush`. */
export class Topics<Name extends string> {
  readonly #listeners = new Map<Name, Set<() => void>>();
  readonly #marked = new Set<Name>();

  mark(name: Name): void {
    this.#marked.add(name);
  }

  flush(): void {
    const listeners = new Set<() => void>();
    for (const name of this.#marked) for (const one of this.#listeners.get(name) ?? []) listeners.add(one);
    this.#marked.clear();
    for (const listener of listeners) listener();
  }

  /** Calls `listener` after each flush that has one of the names. */
  listen(names: readonly Name[], listener: () => void): () => void {
    for (const name of names) {
      const set = this.#listeners.get(name) ?? new Set();
      set.add(listener);
      this.#listeners.set(name, set);
    }
    return () => {
      for (const name of names) this.#listeners.get(name)?.delete(listener);
    };
  }
}

/** Renders the component again whenever one of the topics changes. */
export function useTopics<Name extends string>(topics: Topics<Name>, ...names: Name[]): void {
  const [, render] = useReducer((count: number) => count + 1, 0);
  const key = names.join(" ");
  useEffect(() => {
    render(undefined as never);
    return topics.listen(names, () => render(undefined as never));
  }, [topics, key]);
}
