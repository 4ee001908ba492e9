/** A project of somebody who uses the package: packed, and installed by npm into a folder of its own. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

/** This project. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** How long npm may take on a busy machine, ms. */
export const SLOW = 240_000;

export interface Consumer extends AsyncDisposable {
  readonly folder: string;
  /** Writes files into the folder, by their names. */
  write(files: Readonly<Record<string, string>>): Promise<void>;
  /** Runs node in the folder and resolves to what it printed. @throws with its output when it fails */
  node(...args: string[]): Promise<string>;
  /** The same with more variables in its environment. */
  nodeWith(env: Readonly<Record<string, string>>, ...args: string[]): Promise<string>;
  /** What the compiler says against a file or against the package's declarations, with every declaration checked. */
  typeProblems(file: string, text: string): Promise<string[]>;
}

/** The declarations of others are checked too: what is wrong there is not ours. */
const compilerOptions = {
  module: "nodenext",
  target: "es2022",
  strict: true,
  skipLibCheck: false,
  noEmit: true,
  types: ["node"],
  typeRoots: [join(ROOT, "node_modules/@types")],
};

/** Installs the package as `npm run build` left it, and others (`jest@30.5.2`) in the same call of npm. */
export async function createConsumer(...others: string[]): Promise<Consumer> {
  const folder = await mkdtemp(join(tmpdir(), "messaging-sim-consumer-"));
  const write: Consumer["write"] = async (files) => {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  };
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const pack = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
    const { stdout } = await run("npm", pack, { cwd: ROOT });
    const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
    await write({ "package.json": JSON.stringify({ private: true }) });
    const install = [
      "install",
      "--prefer-offline",
      "--no-audit",
      "--no-fund",
      join(folder, filename),
      ...others,
    ];
    await run("npm", install, { cwd: folder });
  } catch (error) {
    await remove();
    throw error;
  }
  const nodeWith: Consumer["nodeWith"] = async (variables, ...args) => {
    const env = { ...process.env, NO_COLOR: "1", ...variables };
    const { stdout, stderr } = await run(process.execPath, args, { cwd: folder, env });
    return stdout + stderr;
  };
  const node: Consumer["node"] = (...args) => nodeWith({}, ...args);
  return {
    folder,
    write,
    node,
    nodeWith,
    typeProblems: async (file, text) => {
      await write({ [file]: text, "tsconfig.json": JSON.stringify({ compilerOptions, files: [file] }) });
      const compiled = node(join(ROOT, "node_modules/typescript/bin/tsc"), "-p", ".");
      const printed = await compiled.catch(({ stdout }: { stdout: string }) => stdout);
      return printed.split("\n").filter((line) => line.startsWith(file) || line.includes("messaging-sim/"));
    },
    [Symbol.asyncDispose]: remove,
  };
}
