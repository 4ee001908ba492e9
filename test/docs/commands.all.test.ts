/** The examples of all commands work; test/cli/commands.test.ts checks that their help shows them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { allCommands } from "../../src/cli/commands.js";
import { fencesOf, ROOT } from "./fences.js";
import { Reader, SLOW } from "./reader.js";

/** What commands print when they are ready, if they run until they are stopped. */
const ENDLESS: Readonly<Record<string, string>> = { tail: "Following" };
const endless = (line: string, says: string): string =>
  `${line} >followed 2>&1 &\nuntil grep -q "${says}" followed; do sleep 0.1; done\nkill $!; wait $! || true\n`;

/** A reader whose folder has the files that the examples name, as shown in the guides. */
async function readerWithFiles(): Promise<Reader> {
  const reader = await Reader.create();
  for (const page of ["docs/guides/first-test.md", "docs/guides/files.md"])
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
  for (const { name, load } of await allCommands()) {
    // An idle sandbox is nothing to record.
    if (name === "record") await reader.run('messaging-sim say 9001 "Hello"\n');
    for (const line of Object.keys((await load()).examples)) {
      expect(line.split(" ").slice(0, 2), line).toEqual(["messaging-sim", name]);
      const { code, output } = await reader.run(
        ENDLESS[name] === undefined ? `${line}\n` : endless(line, ENDLESS[name]),
      );
      expect(code, `${line}\n${output}`).toBe(0);
    }
    if (name === "record") await reader.run("messaging-sim reset\n");
    // The others expect the default state.
    if (name === "serve") await reader.run("messaging-sim serve\n");
  }
});
