import { defineConfig } from "vitest/config";

export default defineConfig({
  // One simulator for the whole run; each test has a sandbox of its own in it.
  test: { globalSetup: ["messaging-sim/vitest/setup"] },
});
