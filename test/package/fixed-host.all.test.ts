/** Programs with a hard-coded HTTPS host, tested in Jest and in vitest as the guide says. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Consumer, createConsumer, LATEST, ROOT } from "./consumer.js";

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
async function configIn(name: string): Promise<string> {
  const page = await readFile(join(ROOT, "docs/guides/base-address.md"), "utf8");
  const [, text] =
    new RegExp(`\`\`\`[jt]s \\[${name.replace(".", "\\.")}\\]\\n([\\s\\S]*?)\`\`\``).exec(page) ?? [];
  if (text === undefined) throw new Error(`the guide shows no ${name}`);
  return text;
}

describe("a hard-coded HTTPS host", () => {
  let project: Consumer;
  beforeAll(async () => {
    project = await createConsumer(...LATEST);
    await project.write({ "notify.cjs": NOTIFY });
  });
  afterAll(() => project[Symbol.asyncDispose]());

  it("is reached in Jest, and a hang-up keeps its code", async () => {
    await project.write({
      "jest.config.js": await configIn("jest.config.js"),
      "fixed.test.js": `const { test } = require("messaging-sim/jest");
        const { details, fetched } = require("./notify.cjs");
        test("fixed", async ({ sandbox }) => {${BODY}});`,
    });
    expect(await project.node("node_modules/jest/bin/jest.js")).toMatch(/Tests: +1 passed, 1 total/);
  });

  it("is reached in vitest, and a hang-up keeps its code", async () => {
    await project.write({
      "vitest.config.mjs": await configIn("vitest.config.mjs"),
      "fixed.spec.mjs": `import { test } from "messaging-sim/vitest";
        import { expect } from "vitest";
        import { details, fetched } from "./notify.cjs";
        test("fixed", async ({ sandbox }) => {${BODY}});`,
    });
    const output = await project.node("node_modules/vitest/vitest.mjs", "run", "fixed.spec.mjs");
    expect(output).toMatch(/Tests +1 passed/);
  });
});
