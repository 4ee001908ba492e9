import { vi } from "vitest";

/** Waits until something holds that comes about by itself. It asks with pauses: what it waits for needs the processor too. */
export const until = (holds: () => boolean | Promise<boolean>): Promise<unknown> =>
  vi.waitUntil(holds, { interval: 20, timeout: 100_000 });
