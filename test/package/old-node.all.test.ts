/** The entries of the package on a Node 18 that says so itself. Needs dist/. */
import { expect, it } from "vitest";
import { programOf } from "./nodes.js";
import { ENTRIES, NEEDS, ROOT, run } from "./old-node.js";

it("says in a line that Node 18 is too old, at each entry", { timeout: 300_000 }, async () => {
  const version = "18.20.8";
  const program = await programOf(version);
  expect(await run(program, "dist/cli/main.js", "serve")).toEqual({
    code: 2,
    out: "",
    err: `${NEEDS} ${version}\n`,
  });
  for (const entry of ENTRIES) {
    const { code, err } = await run(program, "--input-type=module", "-e", `await import("${ROOT}${entry}")`);
    expect(code, entry).toBe(1);
    expect(err, entry).toContain(`Error: ${NEEDS} ${version}`);
    expect(err.length, entry).toBeLessThan(1_000);
  }
});
