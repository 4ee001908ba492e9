/** Checks handwritten pages: what they name exists, and what exists is named. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { REMOTE } from "../../src/cli/action.js";
import { DOCUMENT_KINDS } from "../../src/cli/check.js";
import { allCommands } from "../../src/cli/commands.js";
import { SERVE_OPTIONS, variableOf } from "../../src/server/config/options.js";
import { filesOf, folderOf, RECIPES, ROOT, read, sectionsOf } from "../examples/recipes.js";
import { textOf } from "./fences.js";

const found = (page: string, pattern: RegExp): string[] =>
  [...textOf(page).matchAll(pattern)].map(([, name = ""]) => name).sort();
const markdownIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder)).filter((name) => name.endsWith(".md"));
const isThere = (path: string): boolean =>
  ["", "src", "dashboard/src"].some((folder) => existsSync(join(ROOT, folder, path)));

/** The records of decisions about what still exists. */
const DECISIONS = markdownIn("docs/decisions")
  .map((name) => `docs/decisions/${name}`)
  .filter((page) => !/^Withdrawn: /m.test(textOf(page)));

it.each(["CONTRIBUTING.md", "docs/architecture.md", ...DECISIONS])("%s names only existing paths", (page) => {
  const named = found(page, /`((?:[\w-]+\/)+(?:[\w-]+(?:\.[\w-]+)?)?)`/g);
  const paths = named.filter((path) => /\.[a-z]+$/.test(path) || isThere(path.split("/")[0] ?? ""));
  expect(paths.filter((path) => !isThere(path))).toEqual([]);
});

it("the architecture page names each library, and a file that uses it", () => {
  const rows = [...textOf("docs/architecture.md").matchAll(/^\| `([^`]+)` \| [^|]+ \| `([^`]+\.\w+)` \|$/gm)];
  const fileOf = (path: string): string => (existsSync(join(ROOT, path)) ? path : `src/${path}`);
  for (const [, library, path = ""] of rows) expect(textOf(fileOf(path)), path).toContain(`"${library}`);
  const sources = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => textOf(`src/${path}`))
    .join("\n");
  const used = Object.keys(JSON.parse(textOf("package.json")).devDependencies).filter((name) =>
    new RegExp(`(from|import\\(|\\w\\()\\s*"${name}["/]`).test(sources),
  );
  expect(rows.map(([, library]) => library)).toEqual(
    expect.arrayContaining(used.filter((name) => !["@playwright/test", "graphql", "vitest"].includes(name))),
  );
});

it("the index lists all guides, and the guides cover each kind of file and each control command", async () => {
  const guides = markdownIn("docs/guides").filter((name) => name !== "README.md");
  expect(found("docs/guides/README.md", /\]\(([\w-]+\.md)\)/g)).toEqual(guides.sort());
  const kinds = found("docs/guides/files.md", /^# [\w.]+ {2}ok \((\w+):/gm);
  expect(kinds).toEqual(Object.keys(DOCUMENT_KINDS).sort());
  const commands = await allCommands();
  const modules = await Promise.all(commands.map(async ({ name, load }) => ({ name, ...(await load()) })));
  const byHand = modules.filter(({ options }) => options.json === REMOTE.json).map(({ name }) => name);
  const described = found("docs/guides/by-hand.md", /^\| `(\w+)[^`]*` \|/gm);
  expect(described.sort()).toEqual(byHand.sort());
});

it("the recipes are listed, and each says what to copy, with existing variables and images", () => {
  expect(found("examples/README.md", /^\| .* \| \[([\w-]+)\]\(\1\) \|$/gm)).toEqual(RECIPES);
  const { version } = JSON.parse(textOf("package.json"));
  const variables = Object.keys(SERVE_OPTIONS).map(variableOf);
  for (const recipe of RECIPES) {
    const sections = sectionsOf(recipe);
    expect(Object.keys(sections), recipe).toEqual(["Copy", "Run", "See"]);
    for (const file of filesOf(recipe)) expect(sections.Copy, recipe).toContain(`\`${file}\``);
    const links = found(`examples/${recipe}/README.md`, /\]\((?!http)([^)#]+)/g);
    expect(links.filter((path) => !existsSync(join(folderOf(recipe), path)))).toEqual([]);
    const text = [...filesOf(recipe), "README.md"].map((file) => read(recipe, file)).join("\n");
    for (const [, tag] of text.matchAll(/messaging-sim\/messaging-sim:([\w.-]+)/g)) expect(tag).toBe(version);
    for (const name of text.match(/MESSAGING_SIM_\w+/g) ?? [])
      expect([...variables, "MESSAGING_SIM_URL", "MESSAGING_SIM_TOKEN", "MESSAGING_SIM_COVERAGE"]).toContain(
        name,
      );
  }
});
