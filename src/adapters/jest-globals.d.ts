/** The Jest globals that are used here: Jest's own types need a dozen packages. */
declare module "@jest/globals" {
  type Define = (name: string, body: (...row: readonly unknown[]) => unknown, timeoutMs?: number) => void;

  interface Test extends Define {
    each(...table: readonly unknown[]): Define;
  }

  export const test: Test;
  export const afterAll: (hook: () => unknown) => void;
  export type { Test };
}
