/** Loads on demand what most simulators never need. */
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** A package, which `scripts/bundle.mjs` bundles into its own file. @throws the system error */
export const loadPackage = <T>(name: string): T => require(name) as T;

/** Creates a value on first use, and tries again on the next use if that failed. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const { version, homepage } = createRequire(import.meta.url)("../../package.json") as Readonly<
  Record<"version" | "homepage", string>
>;

export const VERSION = version;
export const ORIGIN = {
  version,
  contact: { name: "messaging-sim", url: homepage.replace(/#.*/, "") },
  license: { name: "MIT", url: "https://opensource.org/license/mit" },
} as const;
