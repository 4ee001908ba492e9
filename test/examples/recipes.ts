/** The recipes below `examples`: a folder each, with a README that says what to copy, how to run it and what one sees. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { newFolder } from "../persistence/support.js";

export const ROOT = join(import.meta.dirname, "..", "..");
const EXAMPLES = join(ROOT, "examples");

/** The list of all, and programs with READMEs of their own form. */
const OTHERS = ["README.md", "echo-bot", "order-bot"];
export const RECIPES = readdirSync(EXAMPLES).filter((name) => !OTHERS.includes(name));

export const folderOf = (recipe: string): string => join(EXAMPLES, recipe);
export const read = (recipe: string, file: string): string =>
  readFileSync(join(EXAMPLES, recipe, file), "utf8");
export const filesOf = (recipe: string): string[] =>
  readdirSync(folderOf(recipe), { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "README.md")
    .map(({ name }) => name);

/** The text of each section of a recipe's README. */
export function sectionsOf(recipe: string): Record<string, string> {
  const [, ...sections] = read(recipe, "README.md").split(/^## /m);
  return Object.fromEntries(sections.map((section) => section.split(/\n(.*)/s)));
}

/** The commands that a README gives to run its recipe, in their order. */
export const commandsOf = (recipe: string): string[] =>
  [...(sectionsOf(recipe).Run ?? "").matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = ""]) =>
    block.trim().split("\n"),
  );

/** Variables with which pytest finds the fixtures of clients/pytest as if they were installed. */
export const WITH_FIXTURES = {
  PYTHONPATH: join(ROOT, "clients", "pytest"),
  PYTEST_PLUGINS: "messaging_sim",
  PYTHONDONTWRITEBYTECODE: "1",
};

/** Copies a recipe into a folder. */
export const copy = (recipe: string, folder: string): void =>
  cpSync(folderOf(recipe), folder, { recursive: true, force: true });

/** A copy of a recipe that is gone when the test is. */
export function copyOf(recipe: string): string {
  const folder = newFolder();
  copy(recipe, folder);
  return folder;
}

interface Surroundings {
  readonly folder: string;
  readonly env?: object;
  /** What comes before all other programs of the same name. */
  readonly program?: string;
  /** Ends the command. */
  readonly signal?: AbortSignal;
}

/** A folder that has this program and none beside it, which would come before others of their names. */
function aloneIn(program: string): string {
  const folder = newFolder();
  // Not a link: a Python finds its packages by where it is.
  writeFileSync(join(folder, basename(program)), `#!/bin/sh\nexec "${program}" "$@"\n`, { mode: 0o755 });
  return folder;
}

/** Runs a command, with this very node; resolves to its output. @throws with the output when it fails */
export async function run(command: string, { folder, env, program, signal }: Surroundings): Promise<string> {
  const path = [...(program === undefined ? [] : [aloneIn(program)]), dirname(process.execPath)].join(":");
  const child = spawn("sh", ["-c", command], {
    cwd: folder,
    env: { HOME: process.env.HOME, PATH: `${path}:${process.env.PATH}`, NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stop = () => child.kill();
  signal?.addEventListener("abort", stop);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => void (output += text));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${command} ended with ${code}:\n${output}`);
  return output;
}
