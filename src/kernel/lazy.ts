/**
 * A loader that runs at its first call and keeps what it loaded. A load that failed is tried again at the next call.
 *
 * @example
 * const yoga = lazy(() => import("graphql-yoga"));
 * await yoga();
 */
export function lazy<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    loaded ??= load().catch((error) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}
