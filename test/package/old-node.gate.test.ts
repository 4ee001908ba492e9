/** Each entry of the package on a Node that is too old, as that process tells its version. Needs dist/. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { filesFor } from "../support/folder.js";
import { ENTRIES, NEEDS, ROOT, run } from "./old-node.js";

const file = filesFor("old-node");

/** Runs Node with a file that runs first. */
const node = (first: string, ...words: string[]) => run(process.execPath, "--require", first, ...words);

const tellsToBe = (version: string) =>
  file(
    `is-${version}.cjs`,
    `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } });`,
  );

const LOADS_ALL = `(async () => {
  for (const entry of ${JSON.stringify(ENTRIES)}) {
    const loaded = await import("${ROOT}" + entry).then(() => "loads", (error) => error.stack);
    console.log(loaded);
  }
})()`;

it("says in a line that the Node is too old, at each entry", async () => {
  const old = tellsToBe("20.18.3");
  const { out } = await node(old, "-e", LOADS_ALL);
  expect(out.trim().split("\n")).toEqual(ENTRIES.map(() => `Error: ${NEEDS} 20.18.3`));
  const command = await node(old, "dist/cli/main.js", "--version");
  expect(command).toEqual({ code: 2, out: "", err: `${NEEDS} 20.18.3\n` });
});

it("takes the oldest Node that the package admits, and newer ones", async () => {
  const { engines } = JSON.parse(readFileSync(`${ROOT}/package.json`, "utf8"));
  expect(NEEDS).toContain(`Node ${engines.node.replace(">=", "")} or newer`);
  for (const version of ["20.19.0", "22.0.0"])
    expect(await node(tellsToBe(version), "dist/cli/main.js", "--version")).toMatchObject({
      code: 0,
      err: "",
    });
});
