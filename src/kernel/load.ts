/** Loads what most simulators never need, when it is needed. */
import { closeSync, openSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { devNull } from "node:os";

const require = createRequire(import.meta.url);

/** So many files a package has open at once while it is loaded, and so many a part of the program. */
const FOR_PACKAGE = 8;
const FOR_PART = 64;

/**
 * Node remembers for good that loading has failed. So nothing is loaded while there are too few file descriptors: the next
 * call tries again.
 *
 * @throws the system's error, such as EMFILE
 */
function needDescriptors(count: number): void {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(openSync(devNull, "r"));
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}

/** A package, in one turn of the event loop: nobody else takes descriptors meanwhile. @throws the system's error */
export function loadPackage<T>(name: string): T {
  needDescriptors(FOR_PACKAGE);
  return require(name) as T;
}

/** The text of a file of a package. @throws the system's error */
export const loadPackageText = (name: string): string => readFileSync(require.resolve(name), "utf8");

/** A part of the program itself: `loadPart(() => import("./part.js"))`. @throws the system's error */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  needDescriptors(FOR_PART);
  return load();
}

/** Makes a value at its first use, and again at the next one where that has failed. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
