import { defineConfig } from "@playwright/test";

// One simulator for the whole run.
export default defineConfig({ globalSetup: "messaging-sim/playwright/setup" });
