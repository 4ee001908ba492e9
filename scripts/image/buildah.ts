/** buildah, which builds and runs images without an engine. */
import { spawnSync } from "node:child_process";

/** No container of its own: neither the network nor the processes are kept apart, so it works inside of containers. */
export const BUILDAH_ENV = { ...process.env, BUILDAH_ISOLATION: "chroot" };

/** Runs a command and returns what it prints. @throws with all that it said where it fails */
export function output(command: string, ...args: string[]): string {
  const options = { encoding: "utf8", env: BUILDAH_ENV, maxBuffer: 1e8 } as const;
  const { status, stdout, stderr, error } = spawnSync(command, args, options);
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${[command, ...args].join(" ")}\n${stdout}${stderr}`);
  return stdout.trim();
}

/** Runs a command and says whether it succeeded. */
export const succeeds = (command: string, ...args: string[]): boolean =>
  spawnSync(command, args, { env: BUILDAH_ENV, stdio: "ignore" }).status === 0;

interface Layers {
  readonly layers: readonly { readonly size: number }[];
}

/** How many bytes an image adds to the one that it is built on. */
export function bytesOver(base: string, image: string): number {
  const bytes = (name: string) => {
    const { Manifest } = JSON.parse(output("buildah", "inspect", "--type", "image", name)) as {
      Manifest: string;
    };
    return (JSON.parse(Manifest) as Layers).layers.reduce((sum, { size }) => sum + size, 0);
  };
  return bytes(image) - bytes(base);
}
