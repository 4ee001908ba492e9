/** What the package says on a Node that is too old. */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** The entries other than the command. */
export const ENTRIES = [
  "/dist/library/index.js",
  "/dist/client/index.js",
  "/dist/adapters/intercept.js",
  "/dist/adapters/jest.js",
  "/dist/adapters/jest-setup.js",
  "/dist/adapters/jest-teardown.js",
  "/dist/adapters/node-test.js",
  "/dist/adapters/node-test-setup.js",
  "/dist/adapters/vitest.mjs",
  "/dist/adapters/vitest-setup.mjs",
];

export const NEEDS = "messaging-sim needs Node 20.19 or newer, and this is Node";
