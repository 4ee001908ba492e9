/** What the package says on a Node that is too old. */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** The entries other than the command. */
export const ENTRIES = [
  "/dist/library/index.js",
  "/dist/client/index.js",
  "/dist/intercept/index.js",
  "/dist/test-runners/jest.js",
  "/dist/test-runners/jest-setup.js",
  "/dist/test-runners/jest-teardown.js",
  "/dist/test-runners/node-test.js",
  "/dist/test-runners/node-test-setup.js",
  "/dist/test-runners/vitest.mjs",
  "/dist/test-runners/vitest-setup.mjs",
];

export const NEEDS = "messaging-sim needs Node 20.19 or newer, and this is Node";
