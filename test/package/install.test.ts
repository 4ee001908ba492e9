import { spawn } from "node:child_process";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Consumer, createConsumer, ROOT, SLOW } from "./consumer.js";

const MB = 1_000_000;
let project: Consumer;
let folder: string;

beforeAll(async () => {
  project = await createConsumer();
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

const USE = `
  async function use({ createSimulator }, { SimClient }) {
    const sim = await createSimulator();
    const client = new SimClient({ url: sim.url });
    await client.customerSays("9001", "Hello");
    await client.idle();
    console.log(JSON.stringify((await client.deliveries()).map(({ status }) => status)));
    await sim.close();
  }`;

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
  expect(JSON.parse(await project.node(file))).toEqual(["delivered"]);
});

it("is one and the same by import and by require, the setup of vitest included", {
  timeout: SLOW,
}, async () => {
  await project.write({
    "same.mjs": `
      import { createRequire } from "node:module";
      const require = createRequire(import.meta.url);
      for (const name of ["messaging-sim", "messaging-sim/client", "messaging-sim/vitest/setup"]) {
        const { default: _, ...required } = require(name);
        const imported = await import(name);
        const names = Object.keys(required).filter((key) => key !== "__esModule");
        console.log(name, names.every((key) => imported[key] === required[key]), names.join());
      }`,
  });
  const lines = (await project.node("--no-warnings", "same.mjs")).trim().split("\n");
  expect(lines).toEqual([
    expect.stringMatching(/^messaging-sim true .*createSimulator/),
    expect.stringMatching(/^messaging-sim\/client true .*SimClient/),
    expect.stringMatching(/^messaging-sim\/vitest\/setup true .*setup/),
  ]);
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
