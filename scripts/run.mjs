// @ts-check
// Runs a script that is written in TypeScript: node scripts/run.mjs docs

import { runnerImport } from "vite";

const [name] = process.argv.slice(2);
await runnerImport(`./scripts/${name}.ts`);
