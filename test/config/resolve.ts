import { formatProblem, type UnusableDocument } from "../../src/kernel/problems.js";
import { type ResolvedOptions, resolveServeOptions } from "../../src/server/config/serve.js";
import { readServeFlags } from "../support/serve-flags.js";

export interface Surroundings {
  readonly env?: Record<string, string>;
  /** Texts of files by name; other files do not exist. */
  readonly files?: Record<string, string>;
}

/** Resolves options with files that exist only here. */
export const resolve = async (
  words: string[],
  { env = {}, files = {} }: Surroundings = {},
): Promise<ResolvedOptions> =>
  resolveServeOptions(await readServeFlags(words), env, async (file) => {
    const text = files[file];
    if (text === undefined) throw Object.assign(new Error(`ENOENT: ${file}`), { code: "ENOENT" });
    return text;
  });

/** The options of valid input. */
export async function optionsOf(words: string[], surroundings?: Surroundings) {
  const resolved = await resolve(words, surroundings);
  if (resolved.problems !== undefined) throw new Error(resolved.problems.map(formatProblem).join("\n"));
  return resolved;
}

/** The problems of invalid input, a line each. */
export async function linesOf(words: string[], surroundings?: Surroundings): Promise<string[]> {
  try {
    const { problems = [] } = await resolve(words, surroundings);
    return problems.map(formatProblem);
  } catch (error) {
    return (error as UnusableDocument).problems.map(formatProblem);
  }
}
