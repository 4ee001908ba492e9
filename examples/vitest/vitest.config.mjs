import { defineConfig } from "vitest/config";

export default defineConfig({
  // One simulator for the whole run.
  test: { globalSetup: ["messaging-sim/vitest/setup"] },
});
