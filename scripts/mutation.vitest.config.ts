import { defineConfig } from "vitest/config";

/** For `npm run mutation`, which narrows the run to the folder whose tests it asks for. */
export default defineConfig({ test: { include: ["**/*.test.ts"] } });
