import { vi } from "vitest";

/** Waits until a condition holds, and checks it with pauses, to leave the processor to others. */
export const until = (holds: () => boolean | Promise<boolean>): Promise<unknown> =>
  vi.waitUntil(holds, { interval: 20, timeout: 100_000 });
