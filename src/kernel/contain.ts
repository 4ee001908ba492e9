/** Is told of what went wrong where nobody waits for a result. */
export type Report = (error: unknown) => void;

/**
 * Runs what a timer, an event or a promise goes on with. What it throws, now or later, is reported and goes no further: it
 * must not end the process.
 */
export function contain(report: Report, work: () => unknown): void {
  try {
    const result = work();
    if (result instanceof Promise) result.catch(report);
  } catch (error) {
    report(error);
  }
}
