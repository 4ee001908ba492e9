/** The image that the Dockerfile builds on: the one of the registry, or one in its place where none can be reached. */
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram, installFromDebian } from "../programs.mjs";
import { output, succeeds } from "./buildah.js";

const RELEASE = "bookworm";
const NPM = "11";

/** Makes sure that there is a base image `node:<major>-slim`. Returns where it comes from. */
export function ensureBase(base: string): "there already" | "pulled" | "made" {
  const name = `docker.io/library/${base}`;
  if (succeeds("buildah", "inspect", "--type", "image", name)) return "there already";
  if (succeeds("buildah", "pull", "--quiet", name)) return "pulled";
  const [, major] = /^node:(\d+)-slim$/.exec(base) ?? [];
  if (major === undefined) throw new Error(`No base can be made for ${base}: only for node:<major>-slim`);
  const folder = mkdtempSync(join(tmpdir(), "messaging-sim-base-"));
  try {
    make(name, major, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return "made";
}

/** Debian's smallest system with Node and npm from their packages, and the user `node`, as the registry's image has. */
function make(name: string, major: string, folder: string): void {
  if (findProgram("debootstrap") === undefined && !installFromDebian(["debootstrap"]))
    throw new Error(
      `A base image needs debootstrap, which could not be installed from here: pull ${name} on a machine that reaches its registry`,
    );
  const root = join(folder, "root");
  output("debootstrap", "--variant=minbase", RELEASE, root, "http://deb.debian.org/debian");
  for (const waste of ["var/cache/apt/archives", "var/lib/apt/lists"])
    for (const entry of readdirSync(join(root, waste)))
      rmSync(join(root, waste, entry), { recursive: true, force: true });

  const node = `node-linux-${process.arch}`;
  const packages = [`${node}@${major}`, `npm@${NPM}`];
  output("npm", "install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", ...packages);
  const local = join(root, "usr/local");
  cpSync(join(folder, "node_modules", node, "bin/node"), join(local, "bin/node"));
  cpSync(join(folder, "node_modules/npm"), join(local, "lib/node_modules/npm"), { recursive: true });
  for (const command of ["npm", "npx"])
    symlinkSync(`../lib/node_modules/npm/bin/${command}-cli.js`, join(local, "bin", command));
  output("chroot", root, "groupadd", "--gid", "1000", "node");
  output("chroot", root, "useradd", "--uid", "1000", "--gid", "node", "--create-home", "node");

  const container = output("buildah", "from", "scratch");
  output("buildah", "add", "--quiet", container, root, "/");
  output("buildah", "commit", "--quiet", "--rm", "--format", "docker", container, name);
}
