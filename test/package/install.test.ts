import { spawn } from "node:child_process";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Consumer, installedConsumer, ROOT, SLOW } from "./consumer.js";
import { NODES } from "./nodes.js";

const MB = 1_000_000;
let project: Consumer;
let folder: string;

beforeAll(async () => {
  project = await installedConsumer();
  folder = project.folder;
}, SLOW);

afterAll(() => project[Symbol.asyncDispose]());

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
  const program = await readFile(join(installed, "dist/cli/main.main.js"), "utf8");
  const [, name = ""] = /\/\/# sourceMappingURL=(.+)/.exec(program) ?? [];
  const map = JSON.parse(await readFile(join(installed, "dist/cli", name), "utf8"));
  const at = map.sources.findIndex((source: string) => source.endsWith("src/cli/main.ts"));
  expect(map.sourcesContent[at]).toBe(await readFile(join(ROOT, "src/cli/main.ts"), "utf8"));
});

const USE = `
  async function use({ createSimulator }, { SimClient }) {
    const sim = await createSimulator();
    const client = new SimClient({ url: sim.url });
    await client.customerSays("9001", "Hello");
    await client.idle();
    console.log(JSON.stringify((await client.deliveries()).map(({ status }) => status)));
    console.log(process.versions.node);
    await sim.close();
  }`;

/** Says for each entry point whether both ways load the same. */
const SAME = `
  import { createRequire } from "node:module";
  const require = createRequire(import.meta.url);
  for (const name of process.argv.slice(2)) {
    const { default: _, ...required } = require(name);
    const imported = await import(name, name.endsWith(".json") ? { with: { type: "json" } } : {});
    const from = name.endsWith(".json") ? imported.default : imported;
    const names = Object.keys(required).filter((key) => key !== "__esModule");
    console.log(name, names.every((key) => from[key] === required[key]), Object.keys(from).join());
  }`;

/** What only loads in its runner, where jest.test.ts and vitest.test.ts load it. */
const IN_ITS_RUNNER = ["./jest", "./vitest"];

/** `messaging-sim/intercept` does not load where it has nothing to do. */
const FOR_INTERCEPT = { MESSAGING_SIM_INTERCEPT: "api.example" };

describe.each(NODES)("on Node %s", (version) => {
  let onNode: Consumer;
  beforeAll(async () => {
    onNode = await project.on(version);
  }, SLOW);

  it("starts from its command, serves its fixture and its dashboard, and ends on SIGTERM", {
    timeout: SLOW,
  }, async () => {
    const command = join(folder, "node_modules/.bin/messaging-sim");
    const child = spawn(command, ["--port", "0"], { cwd: folder, env: onNode.environment });
    let complaints = "";
    child.stderr.on("data", (chunk) => {
      complaints += chunk;
    });
    const url = await new Promise<string>((resolve, reject) => {
      let text = "";
      child.stdout.on("data", (chunk) => {
        text += chunk;
        const ready = /messaging-sim ready at (\S+)/.exec(text);
        if (ready) resolve(ready[1] as string);
      });
      child.once("exit", (code) => reject(new Error(`ended with ${code}: ${complaints}`)));
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
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    expect(complaints).toBe("");
  });

  it.each([
    [
      "import",
      "use.mjs",
      `import { createSimulator } from "messaging-sim";
       import { SimClient } from "messaging-sim/client";
       await use({ createSimulator }, { SimClient });`,
    ],
    ["require", "use.cjs", `use(require("messaging-sim"), require("messaging-sim/client"));`],
  ])("is a library by %s", { timeout: SLOW }, async (_way, file, script) => {
    await project.write({ [file]: `${script}${USE}` });
    const [deliveries, node] = (await onNode.node(file)).trim().split("\n");
    expect([JSON.parse(deliveries ?? ""), node]).toEqual([["delivered"], version]);
  });

  it("is one and the same by import and by require, whatever it exports", { timeout: SLOW }, async () => {
    const manifest = join(folder, "node_modules/messaging-sim/package.json");
    const exported = Object.keys(JSON.parse(await readFile(manifest, "utf8")).exports);
    expect(exported).toEqual(expect.arrayContaining(IN_ITS_RUNNER));
    const names = exported
      .filter((path) => !IN_ITS_RUNNER.includes(path))
      .map((path) => path.replace(".", "messaging-sim"));
    await project.write({ "same.mjs": SAME });
    const output = await onNode.nodeWith(
      FOR_INTERCEPT,
      "--disable-warning=ExperimentalWarning",
      "same.mjs",
      ...names,
    );
    const lines = output.split("\n").filter((line) => line.startsWith("messaging-sim"));
    expect(lines).toEqual(names.map((name) => expect.stringMatching(`^${name} true .`)));
    for (const name of ["createSimulator", "SimClient", "globalSetup", "setup"])
      expect(output).toMatch(new RegExp(`\\b${name}\\b`));
  });

  it("is found out when it uses what is deprecated", { timeout: SLOW }, async () => {
    const use = `process.emitWarning("too old", "DeprecationWarning");`;
    await project.write({ "node_modules/messaging-sim/dist/deprecated.cjs": use });
    await expect(onNode.node("node_modules/messaging-sim/dist/deprecated.cjs")).rejects.toThrow("too old");
  });
});

const USE_OF_TYPES = `
  import { createSimulator, type FixtureInput } from "messaging-sim";
  import { SimClient } from "messaging-sim/client";

  export async function count(): Promise<number> {
    const sim = await createSimulator({ behaviour: "realistic" });
    return (await new SimClient({ url: sim.url }).deliveries()).length;
  }
  // @ts-expect-error: no such option
  void createSimulator({ nothing: 1 });
  // @ts-expect-error: a fixture is an object
  export const fixture: FixtureInput = 5;
`;

it.each(["nodenext", "node16"])(
  "has types that stand on their own (%s)",
  { timeout: SLOW },
  async (module) => {
    const options = {
      module,
      target: "es2022",
      lib: ["es2022"],
      strict: true,
      skipLibCheck: false,
      noEmit: true,
    };
    // Those of Node alone: whoever runs this has them.
    const compilerOptions = { ...options, types: ["node"], typeRoots: [join(ROOT, "node_modules/@types")] };
    await project.write({
      "tsconfig.json": JSON.stringify({ compilerOptions, files: ["types.mts", "types.cts"] }),
      "types.mts": USE_OF_TYPES,
      "types.cts": USE_OF_TYPES,
    });
    expect(await project.node(join(ROOT, "node_modules/typescript/bin/tsc"), "-p", ".")).toBe("");
  },
);
