// Slow: one installation of the tarball, and a runner in it.
/** The package as npm installs it in an empty folder: its command, its library, its types, its fixture for vitest. */
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { installedConsumer, shared } from "./consumer.js";
import { COMMAND, provesInstallation, provesRefusal, provesTypesUnder } from "./installation.js";
import { MACHINE } from "./nodes.js";
import { provesFixture, provesTypes, RUNNERS } from "./runners.js";

const MB = 1_000_000;
const project = shared(installedConsumer);

it("is a single package of at most 8 MB that runs nothing when it is installed", async () => {
  const { packages } = JSON.parse(await readFile(join(project().folder, "package-lock.json"), "utf8"));
  const [installed = "", ...others] = Object.keys(packages).filter((path) => path !== "");
  expect([installed, others]).toEqual(["node_modules/messaging-sim", []]);
  expect(packages[installed].hasInstallScript).toBeUndefined();
  const found = await readdir(join(project().folder, installed), { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(({ parentPath, name }) => stat(join(parentPath, name))));
  const total = sizes.reduce((sum, { size }) => sum + size, 0);
  expect(total).toBeGreaterThan(MB);
  expect(total).toBeLessThan(8 * MB);
});

it("brings the licences of what is bundled, and code of its own that can be read", async () => {
  const read = (path: string) => readFile(join(project().folder, "node_modules/messaging-sim", path), "utf8");
  expect(await read("dist/THIRD-PARTY-LICENSES.txt")).toContain("\nyargs ");
  expect((await read("dist/chunks/routes.js")).split("\n").length).toBeGreaterThan(1_000);
});

provesInstallation(MACHINE, project);

/** Flags with which a process says that it is another version of Node. */
const disguise = (version: string) => {
  const versions = `{ value: { ...process.versions, node: "${version}" } }`;
  return ["--import", `data:text/javascript,Object.defineProperty(process, "versions", ${versions})`];
};
provesRefusal("20.18.3", project, ...disguise("20.18.3"));

it.each(["20.19.0", "22.0.0"])("runs on Node %s", async (version) => {
  expect(await project().node(...disguise(version), COMMAND, "--version")).toMatch(/^\d+\.\d+\.\d+\n$/);
});

provesTypesUnder("nodenext", project);

describe("the fixture of vitest", () => {
  provesFixture(RUNNERS.vitest, project);
  provesTypes(RUNNERS.vitest, project);
});
