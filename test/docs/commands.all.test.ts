/** The examples that commands show of themselves run; that their help shows them is in test/cli/commands.test.ts. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/commands.js";
import { fencesOf } from "./fences.js";
import { Reader, SLOW } from "./reader.js";

const ROOT = join(import.meta.dirname, "..", "..");

/** Runs in the background what goes on until somebody ends it, and waits until it has said that it works. */
const endless = (line: string): string =>
  `${line} >followed 2>&1 &\nuntil grep -q Following followed; do sleep 0.1; done\nkill $!\n`;

/** A folder with the files that the examples name, as the guides show them. */
async function readerWithFiles(): Promise<Reader> {
  const reader = await Reader.create();
  for (const page of ["docs/guides/first-test.md", "docs/guides/files.md", "docs/guides/load.md"])
    for (const { file, text } of fencesOf(page)) if (file !== undefined) await reader.write(file, text);
  for (const file of ["scenarios/window-closes.yaml", "fixtures/default.json"])
    await reader.write(file, readFileSync(join(ROOT, file), "utf8"));
  await reader.write(
    "requests.yaml",
    "name: Reads a thread\nsteps:\n  - request: GET /api/get-customer-thread-details?customerThreadId=9001\n",
  );
  return reader;
}

it("the examples of every command run", { timeout: SLOW }, async () => {
  const reader = await readerWithFiles();
  for (const { name, load } of COMMANDS) {
    for (const [line] of (await load()).examples) {
      expect(line.split(" ").slice(0, 2), line).toEqual(["messaging-sim", name]);
      const { code, output } = await reader.run(name === "tail" ? endless(line) : `${line}\n`);
      expect(code, `${line}\n${output}`).toBe(0);
    }
    // Back to the world that the others expect.
    if (name === "serve") await reader.run("messaging-sim serve\n");
  }
});
