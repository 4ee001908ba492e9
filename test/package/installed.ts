/** What the tests of the package need from the registry: installed once by npm, in the user's cache. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { CACHE } from "../../scripts/programs.mjs";

const run = promisify(execFile);

/**
 * The folder in the user's cache with packages (`jest@30.5.2`) installed in it. Whoever finds none installs a copy of its own
 * beside it and puts that in place as a whole, so nobody, in whatever process, sees half of one; of copies made at the same
 * time the first stays.
 * @throws with what npm says
 */
export async function installOnce(packages: readonly string[], cache = CACHE): Promise<string> {
  const folder = join(cache, packages.join("+").replaceAll("/", "-"));
  if (existsSync(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const own = await mkdtemp(`${folder}-`);
  try {
    const options = ["--prefix", own, "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"];
    await run("npm", ["install", ...options, ...packages]).catch(({ stderr }: { stderr: string }) => {
      throw new Error(`cannot install ${packages.join(", ")} for the tests of the package:\n${stderr}`);
    });
    await rename(own, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
    return folder;
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}
