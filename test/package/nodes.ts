/** The Nodes that the package is tested on: that of the machine, and two from the registry, which has Node as packages. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { installOnce } from "./installed.js";

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
  const program = join(await installOnce([`${name}@${version}`]), "node_modules", name, "bin", "node");
  const { stdout } = await run(program, ["--version"]);
  if (stdout.trim() !== `v${version}`) throw new Error(`${program} is Node ${stdout.trim()}`);
  return program;
}
