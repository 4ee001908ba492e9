/** The Nodes that the package is tested on: that of the machine, and two from the registry, which has Node as packages. */
import { execFile } from "node:child_process";
import { access, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The last release of the oldest line that `engines` admits, and the newest that the registry has for Linux on x64 and arm64. */
export const OLDEST = "20.19.6";
export const NEWEST = "26.10.0";

export const MACHINE = process.versions.node;

/** Every version that the package is tested on, each once. */
export const NODES: readonly string[] = [...new Set([MACHINE, OLDEST, NEWEST])];

/** Whether the runner of a Node takes `--test-global-setup`. */
export const hasGlobalSetup = (version: string): boolean => Number.parseInt(version, 10) >= 24;

/** @throws where the registry has no Node of this version for the machine's platform */
export async function programOf(version: string): Promise<string> {
  if (version === MACHINE) return process.execPath;
  const prefix = process.platform === "darwin" && process.arch === "arm64" ? "node-bin" : "node";
  const name = `${prefix}-${process.platform}-${process.arch}`;
  const program = join(await installOnce(name, version), "bin", "node");
  const { stdout } = await run(program, ["--version"]);
  if (stdout.trim() !== `v${version}`) throw new Error(`${program} is Node ${stdout.trim()}`);
  return program;
}

const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "messaging-sim");

/**
 * The folder of a package in the user's cache. Whoever finds none installs a copy of its own beside it and puts that
 * in place as a whole, so nobody, in whatever process, sees half of one; of copies made at the same time the first stays.
 * @throws with what npm says
 */
export async function installOnce(name: string, version: string, cache = CACHE): Promise<string> {
  const folder = join(cache, `${name}-${version}`);
  const installed = join(folder, "node_modules", name);
  if (await exists(installed)) return installed;
  await mkdir(cache, { recursive: true });
  const own = await mkdtemp(`${folder}-`);
  try {
    const options = ["--prefix", own, "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"];
    await run("npm", ["install", ...options, `${name}@${version}`]).catch(
      ({ stderr }: { stderr: string }) => {
        throw new Error(
          `the tests of the package need ${name} ${version}, which could not be installed:\n${stderr}`,
        );
      },
    );
    await rename(own, folder).catch(async (error: unknown) => {
      if (!(await exists(installed))) throw error;
    });
    return installed;
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
