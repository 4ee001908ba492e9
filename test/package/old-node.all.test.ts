/** The entries of the package on a Node 18 that says so itself. Needs dist/. */
import { execFile } from "node:child_process";
import { expect, it } from "vitest";
import { programOf } from "./nodes.js";
import { ENTRIES, NEEDS, ROOT } from "./old-node.js";

it("says in a line that Node 18 is too old, at each entry", { timeout: 300_000 }, async () => {
  const version = "18.20.8";
  const program = await programOf(version);
  const run = (...words: string[]) =>
    new Promise<{ code: unknown; err: string }>((resolve) => {
      execFile(program, words, { cwd: ROOT }, (error, _out, err) => resolve({ code: error?.code ?? 0, err }));
    });
  expect(await run("dist/cli/main.js", "serve")).toEqual({ code: 2, err: `${NEEDS} ${version}\n` });
  for (const entry of ENTRIES) {
    const { code, err } = await run("--input-type=module", "-e", `await import("${ROOT}${entry}")`);
    expect(code, entry).toBe(1);
    expect(err, entry).toContain(`Error: ${NEEDS} ${version}`);
    expect(err.length, entry).toBeLessThan(1_000);
  }
});
