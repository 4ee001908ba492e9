/** The package in the other runtimes that run programs for Node. */
import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { request, talk } from "../hostile/raw.js";
import { DETAILS, SEND } from "../wire/client.js";
import { createConsumer, shared } from "./consumer.js";
import { COMMAND, serving, WAYS } from "./installation.js";
import { installOnce } from "./installed.js";

const { platform, arch } = process;
const LINUX = platform === "linux" ? "-glibc" : "";
/** From the registry, which has them as packages: a package, the program in it and what it runs a file with. */
const RUNTIMES = {
  "Deno 2": [`@deno/${platform}-${arch}${LINUX}`, "2.9.6", "deno", "run", "-A"],
  Bun: [`@oven/bun-${platform}-${arch.replace("arm64", "aarch64")}`, "1.4.5", "bin/bun"],
} as const;

const project = shared(createConsumer);
beforeAll(() => project().write(WAYS));

describe.each(Object.entries(RUNTIMES))("in %s", (_, [name, version, file, ...words]) => {
  let program = "";
  beforeAll(async () => {
    program = join(await installOnce([`${name}@${version}`]), "node_modules", name, file);
  });
  const cwd = () => ({ cwd: project().folder, env: { ...process.env, NO_COLOR: "1" } });
  const outputOf = async (...args: string[]) =>
    (await promisify(execFile)(program, [...words, ...args], cwd())).stdout;

  it.each(Object.keys(WAYS))("is a library: %s", async (way) => {
    expect(await outputOf(way)).toMatch(/^\["delivered"\]\n/);
  });

  it("passes its scenarios, in its own process", async () => {
    const folder = join("node_modules", "messaging-sim", "scenarios");
    const files = await readdir(join(project().folder, folder));
    const scenarios = files.filter((name) => name.endsWith(".yaml"));
    const output = await outputOf(COMMAND, "run", ...scenarios.map((scenario) => join(folder, scenario)));
    expect(output).toContain(`${scenarios.length} scenarios: ${scenarios.length} passed`);
  });

  it("serves, reads and refuses as in Node, and ends on SIGTERM", async () => {
    const { url, endsWell } = await serving(program, [...words, COMMAND, "serve", "--port", "0"], cwd());
    const body = gzipSync(JSON.stringify({ customerThreadId: "9001", text: "Compressed" }));
    const json = { "content-type": "application/json", "content-length": String(body.length) };
    const status = async (...chunks: (string | Buffer)[]) => (await talk(url, chunks)).answers[0]?.status;
    expect(await status(request(`GET http://api.example${DETAILS}`))).toBe(200);
    expect(await status(request(`POST ${SEND}`, { ...json, "content-encoding": "gzip" }), body)).toBe(200);
    expect(await status(request(`POST ${SEND}`, { ...json, "content-encoding": "zstd" }), body)).toBe(415);
    expect(await status(request(`POST ${SEND}`, { "content-type": "application/json" }))).toBe(400);
    for (const path of ["/__sim/ui/", "/__sim/metrics", "/__sim/openapi.json"])
      expect([path, (await fetch(url + path)).status]).toEqual([path, 200]);
    await endsWell();
  });
});
