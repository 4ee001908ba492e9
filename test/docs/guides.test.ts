/** Guides leave out none of what there is. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/commands.js";
import { DOCUMENT_KINDS } from "../../src/cli/documents.js";
import { REMOTE } from "../../src/cli/remote.js";
import { textOf } from "./fences.js";

const GUIDES = "docs/guides";
const found = (page: string, pattern: RegExp): string[] =>
  [...textOf(`${GUIDES}/${page}`).matchAll(pattern)].map(([, name = ""]) => name).sort();

describe("the guides", () => {
  it("stand in their index, each once", () => {
    const there = readdirSync(join(import.meta.dirname, "..", "..", GUIDES));
    const guides = there.filter((name) => name !== "README.md");
    expect(found("README.md", /\]\(([\w-]+\.md)\)/g)).toEqual(guides.sort());
  });

  it("show an example of each kind of file, which `check` calls by its name", () => {
    expect(found("files.md", /^# [\w.]+ {2}ok \((\w+):/gm)).toEqual(Object.keys(DOCUMENT_KINDS).sort());
  });

  it("describe each command by hand", async () => {
    const modules = await Promise.all(COMMANDS.map(async ({ name, load }) => ({ name, ...(await load()) })));
    const byHand = modules.filter(({ options }) => options.json === REMOTE.json).map(({ name }) => name);
    // The state has a guide of its own: bundle.md.
    const described = found("by-hand.md", /^\| `(\w+)[^`]*` \|/gm);
    expect([...described, "state"].sort()).toEqual(byHand.sort());
  });
});
