/** A reader who does what a page says, with a project, a shell and a simulator of their own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { transformWithOxc } from "vite";
import { expect, onTestFinished } from "vitest";
import { freePort } from "../support/free-port.js";
import { copyPackage } from "../support/package.js";
import { commandsOf, fencesOf, patternOf, printedBy, ROOT } from "./fences.js";

/** Runs a command of the project as `npx` does, without npm's half second. */
const NPX = '#!/bin/sh\nexec "$@"\n';
/** The ports that pages name: the simulator's, and those of systems under test. */
const NAMED_PORTS = ["4020", "4021", "3000"];

/** A page may start vitest, node and npx a dozen times. */
export const SLOW = 240_000;

export class Reader {
  readonly #shell: ChildProcess;
  readonly #codes: AsyncIterator<string>;
  #count = 0;

  private constructor(
    readonly folder: string,
    /** By the ports that pages name. */
    private readonly ports: ReadonlyMap<string, string>,
  ) {
    this.#shell = spawn("bash", ["--noprofile", "--norc"], {
      cwd: folder,
      // A process group, so that everything that the page starts ends with the shell.
      detached: true,
      env: this.#environment(),
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#codes = createInterface({ input: this.#shell.stdout as NodeJS.ReadableStream })[
      Symbol.asyncIterator
    ]();
  }

  /** A folder with the package and vitest, and a simulator started by `serve`; both are removed after the test. */
  static async create(): Promise<Reader> {
    const folder = await mkdtemp(join(tmpdir(), "messaging-sim-reader-"));
    const modules = join(folder, "node_modules");
    await copyPackage(modules);
    const commands = join(modules, ".bin");
    await program(commands, "messaging-sim", readFileSync(join(import.meta.dirname, "messaging-sim.mjs")));
    await program(commands, "npx", NPX);
    await symlink(join(ROOT, "node_modules", "vitest"), join(modules, "vitest"));
    await symlink(join(ROOT, "node_modules", "vitest", "vitest.mjs"), join(commands, "vitest"));
    await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
    // As on a terminal: curl then shows no progress.
    await writeFile(join(folder, ".curlrc"), "silent\nshow-error\n");
    const ports = new Set<number>();
    while (ports.size < NAMED_PORTS.length) ports.add(await freePort());
    const pairs = [...ports].map((port, index) => [NAMED_PORTS[index] ?? "", String(port)] as const);
    const reader = new Reader(folder, new Map(pairs));
    onTestFinished(() => reader.#leave());
    const { code, output } = await reader.run("messaging-sim serve\n");
    if (code !== 0) throw new Error(output);
    return reader;
  }

  /** Writes a file of the page. */
  async write(file: string, text: string): Promise<void> {
    const path = join(this.folder, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, this.#own(text));
  }

  /** Runs commands in the page's shell. */
  async run(script: string) {
    this.#count += 1;
    const path = join(this.folder, `.commands-${this.#count}`);
    await writeFile(path, this.#own(script));
    const command = `failed=0; trap 'failed=$?' ERR; . ${path} </dev/null >${path}.out 2>&1; trap - ERR; echo $failed`;
    this.#shell.stdin?.write(`${command}\n`);
    const { value, done } = await this.#codes.next();
    const output = await readFile(`${path}.out`, "utf8");
    if (done) throw new Error(`the shell ended:\n${output}`);
    return { code: Number(value), output: this.#asNamed(output.replaceAll("\r\n", "\n")) };
  }

  /** Runs a TypeScript block: tests with vitest, others as a program. */
  async runModule(text: string, file: string | undefined) {
    const isTest = /from "(vitest|messaging-sim\/vitest)"/.test(text);
    this.#count += 1;
    const path = file ?? `block-${this.#count}.${isTest ? "test.ts" : "mjs"}`;
    const { code } = isTest || file !== undefined ? { code: text } : await transformWithOxc(text, "block.ts");
    await this.write(path, code);
    return this.run(isTest ? `npx vitest run ${path}\n` : `node ${path}\n`);
  }

  async #leave(): Promise<void> {
    const ended = once(this.#shell, "exit");
    if (this.#shell.pid !== undefined) process.kill(-this.#shell.pid, "SIGKILL");
    await ended;
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }

  #environment(): NodeJS.ProcessEnv {
    const { PATH = "", TMPDIR = tmpdir(), CHROMIUM_PATH = "" } = process.env;
    return {
      PATH: `${join(this.folder, "node_modules", ".bin")}:${PATH}`,
      HOME: this.folder,
      TMPDIR,
      CHROMIUM_PATH,
      NO_COLOR: "1",
      npm_config_update_notifier: "false",
      READER_MAIN: join(this.folder, "node_modules/messaging-sim/dist/cli/main.js"),
      READER_FOLDER: this.folder,
      READER_PORT: this.ports.get("4020"),
    };
  }

  /** The page's text with the reader's own ports. */
  #own(text: string): string {
    return text.replace(/\b\d{4}\b/g, (digits) => this.ports.get(digits) ?? digits);
  }

  /** The output with the ports that the page names. */
  #asNamed(output: string): string {
    const named = new Map([...this.ports].map(([name, port]) => [port, name]));
    return output.replace(/\b\d{4,5}\b/g, (digits) => named.get(digits) ?? digits);
  }
}

/** Runs all blocks of a page, and expects the output that it shows. */
export async function follow(page: string): Promise<void> {
  const reader = await Reader.create();
  for (const { line, language, file, text } of fencesOf(page)) {
    if (file !== undefined) await reader.write(file, text);
    const place = `${page}:${line}\n`;
    if (language === "sh")
      for (const { script, output, code } of commandsOf(text)) {
        const done = await reader.run(script);
        expect(done.code, place + script + done.output).toBe(code);
        if (output !== undefined) expect(done.output.trimEnd(), place + script).toMatch(patternOf(output));
      }
    if (language === "ts") {
      const done = await reader.runModule(text, file);
      expect(done.code, place + done.output).toBe(0);
      const output = printedBy(text);
      if (output !== undefined) expect(done.output.trimEnd(), place).toMatch(patternOf(output));
    }
  }
}

async function program(folder: string, name: string, text: string | Buffer): Promise<void> {
  await rm(join(folder, name), { force: true });
  await writeFile(join(folder, name), text, { mode: 0o755 });
}
