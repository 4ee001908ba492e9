/** A project of somebody who uses the package, in a folder of its own. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll } from "vitest";
import { findChromium } from "../../scripts/programs.mjs";
import { copyPackage } from "../support/package.js";
import { installOnce } from "./installed.js";
import { programOf } from "./nodes.js";

const run = promisify(execFile);

export const BABEL = "@babel/plugin-transform-modules-commonjs@7.27.1";
/** The newest of the runners that come from the registry, and what they need: installed together, once. */
export const LATEST = ["vitest@4.1.12", "jest@30.5.2", BABEL] as const;

/** Playwright's tests in a project in which it is, with `playwright.config.mjs` and the browser of this machine. */
export const PLAYWRIGHT = [
  "node_modules/@playwright/test/cli.js",
  "test",
  "-c",
  "with-browser.config.mjs",
] as const;

const withBrowser = `
  import { existsSync } from "node:fs";
  const file = new URL("playwright.config.mjs", import.meta.url);
  const config = existsSync(file) ? (await import(file)).default : {};
  const launchOptions = { executablePath: ${JSON.stringify(findChromium())}, args: ["--no-sandbox"] };
  export default { ...config, use: { launchOptions } };
`;

/** Puts Playwright into a project, as it is here. */
export async function addPlaywright({ folder, write }: Pick<Consumer, "folder" | "write">): Promise<void> {
  await mkdir(join(folder, "node_modules", "@playwright"), { recursive: true });
  for (const name of ["@playwright/test", "playwright", "playwright-core"])
    await symlink(join(ROOT, "node_modules", name), join(folder, "node_modules", name));
  await write({ "with-browser.config.mjs": withBrowser });
}

/** This project. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export interface Consumer extends AsyncDisposable {
  readonly folder: string;
  /** The environment of what it runs: its Node comes first on `PATH`, and tells where deprecated things are used. */
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  /** Writes files into the folder, by their names. */
  write(files: Readonly<Record<string, string>>): Promise<void>;
  /**
   * Runs node in the folder and resolves to what it printed.
   * @throws with its output when it fails, or when the package uses what that Node calls deprecated
   */
  node(...args: string[]): Promise<string>;
  /** The same with more variables in its environment. */
  nodeWith(env: Readonly<Record<string, string>>, ...args: string[]): Promise<string>;
  /** What the compiler says against a file or against the package's declarations, with every declaration checked. */
  typeProblems(file: string, text: string, options?: Readonly<Record<string, unknown>>): Promise<string[]>;
  /** The same folder with another Node (see `nodes.ts`). */
  on(version: string): Promise<Consumer>;
}

/** The declarations of others are checked too: what is wrong there is not ours. */
const compilerOptions = {
  module: "nodenext",
  target: "es2022",
  lib: ["es2022"],
  strict: true,
  skipLibCheck: false,
  noEmit: true,
  types: ["node"],
  typeRoots: [join(ROOT, "node_modules/@types")],
};

/** A project with the package as `npm run build` left it, and others beside it (`jest@30.5.2`), which come from the user's cache. */
export const createConsumer = (...others: string[]): Promise<Consumer> =>
  consumerWith(async (folder) => {
    const modules = join(folder, "node_modules");
    await mkdir(modules);
    if (others.length > 0) {
      const installed = join(await installOnce(others), "node_modules");
      // Linked where that can be: nobody changes them.
      await run("cp", ["-al", `${installed}/.`, modules]).catch(() =>
        run("cp", ["-a", `${installed}/.`, modules]),
      );
    }
    await copyPackage(modules);
  });

/** Packs the package as `npm run build` left it, and resolves to the name of the tarball. */
export async function packInto(folder: string): Promise<string> {
  const pack = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
  const { stdout } = await run("npm", pack, { cwd: ROOT });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  return filename;
}

/** A project in which npm has packed and installed the package; vitest is there as it is here. */
export const installedConsumer = (): Promise<Consumer> =>
  consumerWith(async (folder) => {
    const filename = await packInto(folder);
    const options = ["--prefer-offline", "--no-audit", "--no-fund"];
    await run("npm", ["install", ...options, join(folder, filename)], { cwd: folder });
    await symlink(join(ROOT, "node_modules", "vitest"), join(folder, "node_modules", "vitest"));
  });

async function consumerWith(fill: (folder: string) => Promise<void>): Promise<Consumer> {
  const folder = await mkdtemp(join(tmpdir(), "messaging-sim-consumer-"));
  const write: Consumer["write"] = async (files) => {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  };
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await write({ "package.json": JSON.stringify({ private: true }) });
    await fill(folder);
  } catch (error) {
    await remove();
    throw error;
  }
  return consumerOn(process.execPath, { folder, write, [Symbol.asyncDispose]: remove });
}

/** The project of all tests of a file or of a `describe`. */
export function shared(create: () => Promise<Consumer>): () => Consumer {
  let project: Consumer;
  beforeAll(async () => {
    project = await create();
  });
  afterAll(() => project[Symbol.asyncDispose]());
  return () => project;
}

/** A deprecation whose trace goes through the package. */
const OWN_DEPRECATION = /DeprecationWarning: .*(?:\n.*\bat .*)*\bmessaging-sim\/dist\/.*/;

function consumerOn(
  program: string,
  project: Pick<Consumer, "folder" | "write" | typeof Symbol.asyncDispose>,
): Consumer {
  const { folder, write } = project;
  const environment = {
    ...process.env,
    NO_COLOR: "1",
    PATH: [dirname(program), process.env.PATH].join(delimiter),
    NODE_OPTIONS: "--trace-deprecation",
  };
  const nodeWith: Consumer["nodeWith"] = async (env, ...args) => {
    const { stdout, stderr } = await run(program, args, { cwd: folder, env: { ...environment, ...env } });
    const output = stdout + stderr;
    const [deprecated] = OWN_DEPRECATION.exec(output) ?? [];
    if (deprecated !== undefined) throw new Error(deprecated);
    return output;
  };
  const node: Consumer["node"] = (...args) => nodeWith({}, ...args);
  return {
    ...project,
    environment,
    node,
    nodeWith,
    typeProblems: async (file, text, options) => {
      const config = { compilerOptions: { ...compilerOptions, ...options }, files: [file] };
      await write({ [file]: text, "tsconfig.json": JSON.stringify(config) });
      const compiled = node(join(ROOT, "node_modules/typescript/bin/tsc"), "-p", ".");
      const printed = await compiled.catch(({ stdout }: { stdout: string }) => stdout);
      return printed.split("\n").filter((line) => line.startsWith(file) || line.includes("messaging-sim/"));
    },
    on: async (version) => consumerOn(await programOf(version), project),
  };
}
