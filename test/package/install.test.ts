import { execFile, spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SLOW = 240_000;
let folder: string;

const MB = 1_000_000;

/** The package as a user gets it: packed, and installed into an empty folder. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "messaging-sim-install-"));
  const { stdout } = await run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", folder], {
    cwd: ROOT,
  });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  await run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", join(folder, filename)], {
    cwd: folder,
  });
}, SLOW);

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Every file below a folder of the installation. */
async function filesIn(path: string): Promise<string[]> {
  const top = join(folder, path);
  const found = await readdir(top, { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

it("is a single package of at most 8 MB that runs nothing when it is installed", async () => {
  const { packages } = JSON.parse(await readFile(join(folder, "package-lock.json"), "utf8"));
  const installed = Object.keys(packages).filter((path) => path !== "");
  expect(installed).toEqual(["node_modules/messaging-sim"]);
  expect(packages[installed[0] as string].hasInstallScript).toBeUndefined();
  const sizes = await Promise.all(
    (await filesIn("node_modules")).map(async (file) => (await stat(file)).size),
  );
  const total = sizes.reduce((sum, size) => sum + size, 0);
  expect(total).toBeGreaterThan(MB);
  expect(total).toBeLessThan(8 * MB);
});

it("brings the licences of what is bundled, and maps to the sources", async () => {
  const installed = join(folder, "node_modules/messaging-sim");
  expect(await readFile(join(installed, "dist/THIRD-PARTY-LICENSES.txt"), "utf8")).toContain("\nyargs ");
  const program = await readFile(join(installed, "dist/cli/main.js"), "utf8");
  const [, name = ""] = /\/\/# sourceMappingURL=(.+)/.exec(program) ?? [];
  const map = JSON.parse(await readFile(join(installed, "dist/cli", name), "utf8"));
  const at = map.sources.findIndex((source: string) => source.endsWith("src/cli/main.ts"));
  expect(map.sourcesContent[at]).toBe(await readFile(join(ROOT, "src/cli/main.ts"), "utf8"));
});

it("starts from its command, serves its fixture and its dashboard, and ends on SIGTERM", {
  timeout: SLOW,
}, async () => {
  const child = spawn(join(folder, "node_modules/.bin/messaging-sim"), ["--port", "0"], { cwd: folder });
  const url = await new Promise<string>((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
      const ready = /messaging-sim ready at (\S+)/.exec(text);
      if (ready) resolve(ready[1] as string);
    });
    child.once("exit", (code) => reject(new Error(`ended with ${code}`)));
  });
  const answer = await fetch(`${url}/api/get-customer-thread-details?customerThreadId=9001`, {
    headers: { token: "acme-token", "content-type": "application/json" },
  });
  expect(await answer.json()).toEqual({
    customerChannel: "WHATSAPP",
    status: "waiting",
    isMessagingWindowOpen: true,
  });
  const page = await fetch(`${url}/__sim/ui/`);
  expect([page.status, page.headers.get("content-type")]).toEqual([
    200,
    expect.stringContaining("text/html"),
  ]);
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
});

it("can be imported as a library", { timeout: SLOW }, async () => {
  const script = `
    import { createSimulator } from "messaging-sim";
    import { SimClient } from "messaging-sim/client";
    const sim = await createSimulator();
    const client = new SimClient({ url: sim.url });
    await client.customerSays("9001", "Hello");
    await client.idle();
    console.log(JSON.stringify((await client.deliveries()).map(({ status }) => status)));
    await sim.close();`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", script], { cwd: folder });
  expect(JSON.parse(stdout)).toEqual(["delivered"]);
});
