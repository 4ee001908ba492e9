/** What all recipes have in common. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { variableOf } from "../../src/config/option.js";
import { SERVE_OPTIONS } from "../../src/config/options.js";
import { filesOf, folderOf, RECIPES, ROOT, read, sectionsOf } from "./recipes.js";

const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };

/** Which clients read, beside those that are options of `serve`. */
const OF_CLIENTS = ["MESSAGING_SIM_URL", "MESSAGING_SIM_TOKEN"];
const VARIABLES = [...Object.keys(SERVE_OPTIONS).map(variableOf), ...OF_CLIENTS];

describe.each(RECIPES)("the recipe %s", (recipe) => {
  it("says what to copy, how to run it and what one sees", () => {
    const sections = sectionsOf(recipe);
    expect(Object.keys(sections)).toEqual(["Copy", "Run", "See"]);
    const { Copy = "", Run = "", See = "" } = sections;
    const named = [...Copy.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
    expect(named).toEqual(expect.arrayContaining(filesOf(recipe)));
    expect(See).toMatch(/^\n*```\n[\s\S]+```/);
    expect(Run.trim().length).toBeGreaterThan(0);
  });

  it("links to what there is", () => {
    const links = [...read(recipe, "README.md").matchAll(/\]\((?!http)([^)#]+)/g)].map(
      ([, path = ""]) => path,
    );
    expect(links.filter((path) => !existsSync(join(folderOf(recipe), path)))).toEqual([]);
  });

  it("uses the image of this version, and variables that there are", () => {
    const text = [...filesOf(recipe), "README.md"].map((file) => read(recipe, file)).join("\n");
    const images = [...text.matchAll(/messaging-sim\/messaging-sim:([\w.-]+)/g)].map(([, tag]) => tag);
    expect(images.filter((tag) => tag !== version)).toEqual([]);
    const variables = text.match(/MESSAGING_SIM_\w+/g) ?? [];
    expect(variables.filter((name) => !VARIABLES.includes(name))).toEqual([]);
  });
});

it("is listed, with each other one and nothing else", () => {
  const listed = [...read(".", "README.md").matchAll(/^\| .* \| \[([\w-]+)\]\(\1\) \|$/gm)].map(
    ([, name]) => name,
  );
  expect(listed.sort()).toEqual(RECIPES);
});
