import { formatProblem, type Problem } from "../kernel/problems.js";

export type TypedLines = AsyncIterable<string> & { close(): void };

/** What a command says goes here, and what it may know of its surroundings comes from here. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A person reads `out` on a terminal. */
  readonly isInteractive?: boolean;
  /** Resolves once `out` can take more; false when nobody reads any more. Without it any amount will do. */
  readonly drained?: () => Promise<boolean>;
  /** The lines that are typed, until there is no more; `close` ends them. */
  readonly lines?: () => TypedLines;
  /** The command goes on, and ends well, when nobody reads its output any more. */
  readonly ignoreBrokenPipe?: () => void;
}

/** Exit codes. */
export const OK = 0;
export const UNUSABLE = 2;

/** Says what is unusable, a line for each problem. */
export function refuse({ err }: Terminal, problems: readonly Problem[]): number {
  for (const problem of problems) err(`${formatProblem(problem)}\n`);
  return UNUSABLE;
}

/** Whether output may have colours: on a terminal, unless the environment says no. */
export const usesColor = ({ env }: Terminal): boolean => process.stdout.isTTY === true && !env.NO_COLOR;

/** Exit code of a process that a second signal ended. */
const INTERRUPTED = 130;
const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** Calls back at the first signal to end, and ends the process at the second; the answer stops listening. */
export function onFirstSignal(end: () => void): () => void {
  let isEnding = false;
  const take = () => {
    if (isEnding) process.exit(INTERRUPTED);
    isEnding = true;
    end();
  };
  for (const signal of SIGNALS) process.on(signal, take);
  return () => {
    for (const signal of SIGNALS) process.off(signal, take);
  };
}
