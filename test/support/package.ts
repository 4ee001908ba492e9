/** The package as npm installs it, without npm. */
import { cp, mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..", "..");

/** Copies the built files that the package publishes into a folder `node_modules`, and links its command. */
export async function copyPackage(modules: string): Promise<void> {
  const { name, files, bin } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  const commands = join(modules, ".bin");
  await mkdir(commands, { recursive: true });
  for (const path of ["package.json", ...files])
    await cp(join(ROOT, path), join(modules, name, path), { recursive: true });
  for (const command of Object.keys(bin))
    await symlink(join("..", name, bin[command]), join(commands, command));
}
