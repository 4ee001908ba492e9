import { SimError } from "../client/errors.js";
import { printable, printableLines } from "../kernel/printable.js";
import { UnusableScenario } from "../scenarios/prepare.js";
import { AddressTaken, lastWords, NotReady } from "./system-under-test.js";
import { refuse, type Terminal, UNUSABLE } from "./terminal.js";

/** Exit code: the system under test was not ready. */
const NOT_READY = 1;

/** Says why a run came to no report; the exit code. @throws what is no reason that a user can do something about */
export function explain(error: unknown, terminal: Terminal): number {
  if (error instanceof UnusableScenario) return refuse(terminal, error.problems);
  if (error instanceof AddressTaken) return refuse(terminal, [error.problem]);
  if (error instanceof NotReady) {
    terminal.err(`${printable(error.message)}\n${printableLines(lastWords(error.output))}`);
    return NOT_READY;
  }
  if (!(error instanceof SimError) && (error as NodeJS.ErrnoException).code === undefined) throw error;
  terminal.err(`${printable((error as Error).message)}\n`);
  return UNUSABLE;
}
