/** The descriptions in other tools: Spectral lints them, and Prism's proxy checks real traffic against them. */
import { execFile, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { installOnce } from "../package/installed.js";
import { filesFor } from "../support/folder.js";
import { freePort } from "../support/free-port.js";
import { startSimulator } from "../support/simulator.js";
import { callsOf } from "./calls.js";

const SLOW = 300_000;
const COUNT = 300;
const file = filesFor("descriptions");

it("passes Spectral without a warning", { timeout: SLOW }, async () => {
  const { control } = await startSimulator();
  const folder = await installOnce(["@stoplight/spectral-cli@6.16.3"]);
  const spectral = join(folder, "node_modules", ".bin", "spectral");
  const rules = readFileSync(join(import.meta.dirname, "..", "..", ".spectral.yaml"), "utf8");
  // Its exceptions name files in its folder.
  const ruleset = file(".spectral.yaml", rules);
  for (const name of ["openapi", "control", "asyncapi"]) {
    const path = file(`${name}.json`, JSON.stringify((await control(`GET /${name}.json`)).body));
    const options = ["--ruleset", ruleset, "--fail-severity", "hint"];
    const { stdout } = await promisify(execFile)(spectral, ["lint", path, ...options]);
    expect(stdout).toContain("No results with a severity of 'hint' or higher found!");
  }
  const broken = file("broken.json", JSON.stringify({ openapi: "3.1.0", info: {}, paths: {} }));
  await expect(promisify(execFile)(spectral, ["lint", broken, "--ruleset", ruleset])).rejects.toThrow();
});

it.each(["openapi", "control"])(
  "answers as %s.json says, in the eyes of Prism's proxy",
  { timeout: SLOW },
  async (name) => {
    const simulator = await startSimulator();
    const { body: document } = await simulator.control(`GET /${name}.json`);
    const port = await freePort();
    const folder = await installOnce(["@stoplight/prism-cli@5.14.2"]);
    const path = file(`${name}-served.json`, JSON.stringify(document));
    const command = ["proxy", path, simulator.url, "-p", String(port)];
    const prism = spawn(join(folder, "node_modules", ".bin", "prism"), command);
    onTestFinished(() => void prism.kill());
    for await (const line of createInterface({ input: prism.stdout })) if (/is listening/.test(line)) break;
    prism.stdout.resume();
    const violations: string[] = [];
    const tokens = ["acme-token", "other-token", undefined];
    for (const { method, target, init } of callsOf(document, { seed: 7, count: COUNT, tokens })) {
      const { status, headers } = await fetch(`http://127.0.0.1:${port}${target}`, init);
      const found: { location: string[] }[] = JSON.parse(headers.get("sl-violations") ?? "[]");
      for (const one of found.filter(({ location }) => location[0] === "response"))
        violations.push(`${method} ${target} → ${status}: ${JSON.stringify(one)}`);
    }
    expect(violations).toEqual([]);
  },
);
