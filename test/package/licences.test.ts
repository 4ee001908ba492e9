import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

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

interface Locked {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly optional?: boolean;
}

const readJson = (file: string) => JSON.parse(readFileSync(file, "utf8"));

/** `(MIT OR GPL-2.0)` offers a choice; `MIT AND X` asks for both. */
const isPermissive = (licence: unknown): boolean =>
  typeof licence === "string" &&
  licence
    .replaceAll(/[()]/g, "")
    .split(" OR ")
    .some((choice) => choice.split(" AND ").every((part) => PERMISSIVE.has(part.trim())));

describe("licences", () => {
  const packages: Record<string, Locked> = readJson("package-lock.json").packages;
  const production = Object.entries(packages)
    .filter(([path, { dev, devOptional, optional }]) => path !== "" && !dev && !devOptional && !optional)
    .map(([path]) => path);

  it("every package that is installed with the simulator has a permissive licence", () => {
    expect(production.length).toBeGreaterThan(20);
    const others = production
      .map((path) => [path, readJson(`${path}/package.json`).license])
      .filter(([, licence]) => !isPermissive(licence));
    expect(others).toEqual([]);
  });

  it.each([
    ["MIT", true],
    ["(MIT OR GPL-2.0)", true],
    ["MIT AND Apache-2.0", true],
    ["MIT AND GPL-2.0", false],
    ["SEE LICENSE IN ./LICENSE", false],
    ["FSL-1.1-MIT", false],
    [undefined, false],
  ])("%s is judged: %s", (licence, expected) => {
    expect(isPermissive(licence)).toBe(expected);
  });
});
