import { formatProblem, type Problem } from "../kernel/problems.js";

export type TypedLines = AsyncIterable<string> & { close(): void };

/** The output of a command, and what it knows about its environment. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A person reads `out` on a terminal. */
  readonly isInteractive?: boolean;
  /** The lines of input, until its end; `close` ends them. */
  readonly lines?: () => TypedLines;
  /** Lets the command continue, and succeed, although nobody can read its output any more. */
  readonly ignoreLostOutput?: () => void;
}

/** Exit codes; each command documents what counts as a failure. */
export const OK = 0;
export const FAILED = 1;
export const UNUSABLE = 2;
/** Ended by a signal. */
export const INTERRUPTED = 130;

/** Prints problems, one per line. */
export function refuse({ err }: Terminal, problems: readonly Problem[]): number {
  for (const problem of problems) err(`${formatProblem(problem)}\n`);
  return UNUSABLE;
}

/** Whether output may have colours: on a terminal, unless the environment says no. */
export const usesColor = ({ env }: Terminal): boolean => process.stdout.isTTY === true && !env.NO_COLOR;

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** Calls `end` at the first SIGINT or SIGTERM, and exits at the second; returns a function that stops listening. */
export function onFirstSignal(
  end: () => void,
  again: () => void = () => process.exit(INTERRUPTED),
): () => void {
  let isEnding = false;
  const take = () => {
    if (isEnding) return again();
    isEnding = true;
    end();
  };
  for (const signal of SIGNALS) process.on(signal, take);
  return () => {
    for (const signal of SIGNALS) process.off(signal, take);
  };
}

/**
 * Runs a command that ends in order: the first SIGINT or SIGTERM aborts the signal that `work` gets, the second exits at once.
 *
 * @returns the exit code of `work`, or 130 if it throws the signal's reason
 */
export async function interruptible(work: (signal: AbortSignal) => Promise<number>): Promise<number> {
  const ended = new AbortController();
  const interrupted = new Error("the run was interrupted");
  const stopListening = onFirstSignal(() => ended.abort(interrupted));
  try {
    return await work(ended.signal);
  } catch (error) {
    if (error !== interrupted) throw error;
    return INTERRUPTED;
  } finally {
    stopListening();
  }
}
