import { formatProblem, type Problem } from "../kernel/problems.js";

export type TypedLines = AsyncIterable<string> & { close(): void };

/** What a command says goes here, and what it may know of its surroundings comes from here. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Resolves once `out` can take more; false when nobody reads any more. Without it any amount will do. */
  readonly drained?: () => Promise<boolean>;
  /** The lines that are typed, until there is no more; `close` ends them. */
  readonly lines?: () => TypedLines;
  /** Says that what the command does is not what it prints: it goes on, and ends well, when nobody reads any more. */
  readonly goesOnUnread?: () => void;
}

/** Exit codes (contract section 1). */
export const OK = 0;
export const UNUSABLE = 2;

/** Says what is unusable, a line for each problem. */
export function refuse({ err }: Terminal, problems: readonly Problem[]): number {
  for (const problem of problems) err(`${formatProblem(problem)}\n`);
  return UNUSABLE;
}
