/** The fixture in the runners of others, their versions and their Nodes, and the pages that tell of it. */
import { cpSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { fencesOf } from "../docs/fences.js";
import { addPlaywright, BABEL, createConsumer, LATEST, PLAYWRIGHT, ROOT, shared } from "./consumer.js";
import { hasGlobalSetup, MACHINE, NEWEST, OLDEST } from "./nodes.js";
import { provesFixture, provesTypes, RUNNERS, type Runner, serversOf } from "./runners.js";

describe.each<{ name: keyof typeof RUNNERS; others: readonly string[]; node: string; servers?: number }>([
  // Before 3.2 no fixture of vitest outlives a test.
  { name: "vitest", others: ["vitest@2.1.9"], node: MACHINE, servers: 2 },
  { name: "vitest", others: ["vitest@3.2.7"], node: MACHINE },
  { name: "vitest", others: LATEST, node: NEWEST },
  { name: "jest", others: ["jest@29.7.0", BABEL], node: MACHINE },
  { name: "jest", others: LATEST, node: NEWEST },
  { name: "node-test", others: [], node: OLDEST },
  { name: "node-test", others: [], node: NEWEST },
])("$name of $others on Node $node", ({ name, others, node, servers }) => {
  const runner: Runner = RUNNERS[name];
  const project = shared(async () => (await createConsumer(...others)).on(node));

  provesFixture(runner, project, servers);
  // No Node reads types.
  if (node === MACHINE || name === "node-test") provesTypes(runner, project);

  if (name === "jest")
    it("imports it as a module", async () => {
      await project().write({ "imported.test.mjs": RUNNERS.jest.files["imported.test.js"] });
      const flags = ["--experimental-vm-modules", "--no-warnings", ...RUNNERS.jest.args];
      const output = await project().node(...flags, "--testMatch", "**/imported.test.mjs");
      expect(output).toMatch(/Tests: +1 passed, 1 total/);
    });

  if (name === "node-test") {
    it("ends the server with a file that runs by itself, and tells what its tests have met", async () => {
      const output = await project().nodeWith({ MESSAGING_SIM_COVERAGE: "1" }, "required.test.cjs");
      const [url = "", ...others] = new Set(serversOf(output));
      expect(others).toEqual([]);
      await expect(fetch(url)).rejects.toThrow("fetch failed");
      // Each of its two `test` has a server.
      expect(output.match(/coverage: 1 of/g)).toHaveLength(2);
      expect(output).toContain("told by keeps the context of the runner");
    });

    if (hasGlobalSetup(node))
      it("has one server for a run with the option for it, until its end", async () => {
        await project().write({
          "setup.mjs": `export { globalSetup, globalTeardown } from "messaging-sim/node-test/setup";`,
        });
        const output = await project().node("--test-global-setup=setup.mjs", ...runner.args);
        const [url = "", ...others] = new Set(serversOf(output));
        expect(others).toEqual([]);
        await expect(fetch(url)).rejects.toThrow("fetch failed");
      });
  }
});

describe("the page about test runners", () => {
  const project = shared(() => createConsumer(...LATEST));
  beforeAll(async () => {
    const fences = fencesOf("docs/guides/test-runners.md").filter(({ language }) => language === "js");
    cpSync(join(ROOT, "examples", "playwright"), project().folder, { recursive: true });
    await rm(join(project().folder, "widget.spec.mjs"));
    await addPlaywright(project());
    await project().write(Object.fromEntries(fences.map(({ file, text }) => [file, text])));
  });

  it.each([
    ["vitest", RUNNERS.vitest.args, /Tests +2 passed \(2\)/],
    ["Jest", RUNNERS.jest.args, /Tests: +2 passed, 2 total/],
    ["node:test", ["--test", "window.node.mjs"], /\bpass 1\n/],
    ["Playwright", PLAYWRIGHT, /\b1 passed\b/],
    [
      "a set-up of its own",
      [
        "--input-type=module",
        "--eval",
        "import { globalSetup, globalTeardown } from './setup.mjs'; await globalSetup(); await globalTeardown();",
      ],
      /^$/,
    ],
  ])("works as printed in %s", async (_runner, args, passed) => {
    expect(await project().node(...args)).toMatch(passed);
  });
});

const NOTIFY = `
const https = require("node:https");
exports.details = (token) => new Promise((resolve, reject) => {
  const path = "/api/get-customer-thread-details?customerThreadId=9001";
  https.get({ host: "api.example", path, headers: { token, "content-type": "application/json" } }, resolve).on("error", reject);
});
exports.fetched = (token) =>
  fetch("https://api.example/api/get-whatsapp-templates?customerThreadId=9001", {
    headers: { token, "content-type": "application/json" },
  });
`;
const BODY = `
  const token = sandbox.token("acme-token");
  expect((await details(token)).statusCode).toBe(200);
  expect((await fetched(token)).status).toBe(200);
  expect(await sandbox.requests()).toHaveLength(2);
  await sandbox.fault({ on: "request", then: { drop: "before" } });
  const error = await details(token).catch((thrown) => thrown);
  expect([error.code, error.message]).toEqual(["ECONNRESET", "socket hang up"]);
  const failed = await fetched(token).catch((thrown) => thrown);
  expect([failed.message, failed.cause.code]).toEqual(["fetch failed", "UND_ERR_SOCKET"]);
`;

/** The config that the guide shows under a file's name. */
const configs = fencesOf("docs/guides/base-address.md").map(({ file, text }) => [file, text]);

const project = shared(() => createConsumer(...LATEST));

it.each([
  {
    runner: "Jest",
    config: "jest.config.js",
    file: "fixed.test.js",
    head: `const { test } = require("messaging-sim/jest"); const { details, fetched } = require("./notify.cjs");`,
    words: ["node_modules/jest/bin/jest.js"],
    passed: /Tests: +1 passed, 1 total/,
  },
  {
    runner: "vitest",
    config: "vitest.config.mjs",
    file: "fixed.spec.mjs",
    head: `import { test } from "messaging-sim/vitest";
      import { expect } from "vitest";
      import { details, fetched } from "./notify.cjs";`,
    words: ["node_modules/vitest/vitest.mjs", "run", "fixed.spec.mjs"],
    passed: /Tests +1 passed/,
  },
])("a hard-coded HTTPS host is reached in $runner, and a hang-up keeps its code", async (told) => {
  const test = `${told.head}\ntest("fixed", async ({ sandbox }) => {${BODY}});`;
  const config = Object.fromEntries(configs)[told.config];
  await project().write({ "notify.cjs": NOTIFY, [told.config]: config, [told.file]: test });
  expect(await project().node(...told.words)).toMatch(told.passed);
});
