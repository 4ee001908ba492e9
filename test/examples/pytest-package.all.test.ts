// Slow: pip fetches what builds the package.
/** The package of the fixtures for pytest, built and installed by pip as somebody who uses it does. */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { findPip, findPytest, needs } from "../../scripts/programs.mjs";
import { createConsumer } from "../package/consumer.js";
import { copy, copyOf, ROOT, run, WITH_FIXTURES } from "./recipes.js";

const PACKAGE = join(ROOT, "clients", "pytest");

it(
  "is built and installed with its types and without dependencies, and pytest finds it",
  needs("pytest", "pip"),
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "messaging-sim-pip-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    // A copy: the build leaves files behind.
    await promisify(execFile)("cp", ["-R", PACKAGE, folder]);
    const pip = ["-m", "pip", "--disable-pip-version-check"];
    const python = (...words: string[]) => promisify(execFile)(findPip() ?? "", words, { cwd: folder });
    await python(...pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", ".", "./pytest");
    const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
    const wheel = `pytest_messaging_sim-${version}-py3-none-any.whl`;
    expect(await readdir(folder)).toContain(wheel);
    await python(...pip, "install", "--quiet", "--no-deps", "--target", "site", wheel);
    const site = join(folder, "site");
    const installed = await readdir(site, { recursive: true });
    expect(installed).toEqual(
      expect.arrayContaining(["messaging_sim/__init__.py", "messaging_sim/py.typed"]),
    );
    const metadata = await readFile(
      join(site, `pytest_messaging_sim-${version}.dist-info`, "METADATA"),
      "utf8",
    );
    expect(metadata.match(/^Requires-Dist: .*$/gm)).toEqual(["Requires-Dist: pytest>=7"]);

    await using project = await createConsumer();
    copy("pytest", project.folder);
    const surroundings = { folder: project.folder, program: findPytest(), env: { PYTHONPATH: site } };
    expect(await run("python3 -m pytest", surroundings)).toMatch(
      RegExp(`plugins:.* messaging-sim-${version}[^]*2 passed`),
    );
  },
);

it("says how to get a simulator where there is none", needs("pytest"), async () => {
  const folder = copyOf("pytest");
  const running = run("python3 -m pytest", { folder, env: WITH_FIXTURES, program: findPytest() });
  await expect(running).rejects.toThrow("npm i -D messaging-sim, or set MESSAGING_SIM_URL");
});
