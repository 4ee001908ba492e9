import type { ResolvedOptions } from "../../src/config/serve.js";
import { resolveServeOptions } from "../../src/config/serve.js";
import { formatProblem } from "../../src/kernel/problems.js";

export interface Surroundings {
  readonly env?: Record<string, string>;
  /** Texts of files by name; reading another fails as the system does. */
  readonly files?: Record<string, string>;
}

/** Resolves options with files that exist only here. */
export const resolve = (
  words: string[],
  { env = {}, files = {} }: Surroundings = {},
): Promise<ResolvedOptions> =>
  resolveServeOptions(words, env, async (file) => {
    const text = files[file];
    if (text === undefined) throw Object.assign(new Error(`ENOENT: ${file}`), { code: "ENOENT" });
    return text;
  });

/** The options of a call that is right. */
export async function optionsOf(words: string[], surroundings?: Surroundings) {
  const resolved = await resolve(words, surroundings);
  if (resolved.problems !== undefined) throw new Error(resolved.problems.map(formatProblem).join("\n"));
  return resolved;
}

/** The lines about a call that is not. */
export async function linesOf(words: string[], surroundings?: Surroundings): Promise<string[]> {
  const { problems = [] } = await resolve(words, surroundings);
  return problems.map(formatProblem);
}
