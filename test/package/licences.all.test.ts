import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readSources } from "../architecture/source.js";

/** Licences that let anybody use, change and pass on the code inside a package under MIT. */
const PERMISSIVE = new Set([
  "MIT",
  "ISC",
  "0BSD",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "CC0-1.0",
]);

/** What brings a test runner is there where its fixture is used. */
const OF_THE_RUNNER = ["vitest", "@jest/globals"];

/** What the build says that it bundled, in the forms of its two files: `name version (licence)`. */
const BUNDLED = /^(?:## )?((?:@[\w.-]+\/)?[\w.-]+)(?: -)? (\d+\.\d+\.\d+\S*) \((.+)\)$/gm;
const FILES = ["dist/THIRD-PARTY-LICENSES.txt", "dist/dashboard/THIRD-PARTY-LICENSES.md"];

const readJson = (file: string) => JSON.parse(readFileSync(file, "utf8"));

interface Bundled {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
}

const bundledIn = (file: string): Bundled[] =>
  [...readFileSync(file, "utf8").matchAll(BUNDLED)].map(([, name = "", version = "", licence = ""]) => ({
    name,
    version,
    licence,
  }));

/** `@scope/name/part` is of `@scope/name`; files and what Node brings are of no package. */
const packageOf = (specifier: string): string | undefined =>
  /^(?!node:|\.\/|\.\.\/|src\/)((?:@[^/]+\/)?[^/]+)/.exec(specifier)?.[1];

/** `(MIT OR GPL-2.0)` offers a choice; `MIT AND X` asks for both. */
const isPermissive = (licence: unknown): boolean =>
  typeof licence === "string" &&
  licence
    .replaceAll(/[()]/g, "")
    .split(" OR ")
    .some((choice) => choice.split(" AND ").every((part) => PERMISSIVE.has(part.trim())));

describe("licences", () => {
  const bundled = FILES.flatMap(bundledIn);

  it("every package that is bundled has a permissive licence", () => {
    expect(bundled.filter(({ licence }) => !isPermissive(licence))).toEqual([]);
  });

  it("every package that the program imports is listed, as it is installed here", () => {
    const names = readSources("src").flatMap(({ imports }) =>
      imports.filter(({ typeOnly }) => !typeOnly).map(({ specifier }) => packageOf(specifier)),
    );
    const loaded = ["ajv", "express", "graphql-yoga", "hdr-histogram-js", "re2js", "undici", "uplot"];
    const expected = [...new Set([...names, ...loaded])].filter(
      (name) => name !== undefined && !OF_THE_RUNNER.includes(name),
    );
    expect(expected).toEqual(expect.arrayContaining(["yaml", "yargs", "pino", "@faker-js/faker"]));
    for (const name of [...expected, "graphql", "preact", "@preact/signals"]) {
      const { version, license } = readJson(`node_modules/${name}/package.json`);
      expect(bundled).toContainEqual({ name, version, licence: license });
    }
  });

  it.each(FILES)("%s holds the text of each licence", (file) => {
    const [, ...texts] = readFileSync(file, "utf8")
      .split(BUNDLED)
      .filter((_, at) => at % 4 === 0);
    expect(texts.length).toBeGreaterThan(2);
    const referring = texts.filter((text) => text.includes("MIT: the words at the end of this file"));
    const [, ownWords = ""] = readFileSync("LICENSE", "utf8").split(/^Copyright.*\n\n/m);
    if (referring.length > 0) expect(texts.at(-1)).toContain(ownWords.trim());
    // Whose a licence is stays with its package.
    expect(referring.filter((text) => !/copyright|\(c\)/i.test(text))).toEqual([]);
    const whole = texts.filter((text) => !referring.includes(text));
    expect(whole.filter((text) => !/Permission|Redistribution/.test(text))).toEqual([]);
  });
});
