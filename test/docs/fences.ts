/** The fenced blocks of handwritten pages. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "..", "..");

/** A fenced block of a page. */
export interface Fence {
  /** The page's path from the project's root. */
  readonly page: string;
  /** The line of its first line of text. */
  readonly line: number;
  readonly language: string;
  /** The file that the reader writes: ```` ```js [bot.js] ````. */
  readonly file: string | undefined;
  readonly text: string;
}

/** The languages of blocks that run: `sh` in one shell for each page, `ts` as programs or tests. */
export const RUN: readonly string[] = ["sh", "ts"];

/** README and guides, by their paths from the project's root. */
export const PAGES = [
  "README.md",
  ...readdirSync(join(ROOT, "docs", "guides"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/guides/${name}`),
];

export const textOf = (page: string): string => readFileSync(join(ROOT, page), "utf8");

/** The blocks of a page in their order. */
export const fencesOf = (page: string): Fence[] =>
  [...textOf(page).matchAll(/^```(\S*)(?: \[(\S+)\])?\n([\s\S]*?)^```$/gm)].map(
    ({ 1: language = "", 2: file, 3: text = "", index, input }) => {
      const line = input.slice(0, index).split("\n").length + 1;
      return { page, line, language, file, text };
    },
  );

/** Commands that run together, and their output according to the comments below them. */
export interface Commands {
  readonly script: string;
  /** The printed lines; a `…` stands for any text. Undefined where the page prints none. */
  readonly output: string | undefined;
  /** The exit code of what fails last: `# exit code 2`. */
  readonly code: number;
}

/** Lines of commands, and the comments right below them. */
const COMMANDS = /((?:^(?!#(?: |$)).+\n)+)((?:^#(?: .*)?\n)*)/gm;

/** The commands of a block. Comments above a command explain it; comments right below it are its output. */
export const commandsOf = (block: string): Commands[] =>
  [...`${block.trim()}\n`.matchAll(COMMANDS)].map(([, script = "", comments = ""]) => {
    const printed = comments.replace(/^# ?/gm, "").split("\n").slice(0, -1);
    const [, code] = /^exit code (\d+)$/.exec(printed.at(-1) ?? "") ?? [];
    const output = code === undefined ? printed : printed.slice(0, -1);
    return { script, output: output.length === 0 ? undefined : output.join("\n"), code: Number(code ?? 0) };
  });

/** The output of a program's `console.log` calls, according to the comments after them; undefined if there are none. */
export function printedBy(program: string): string | undefined {
  const printed = [...program.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text]) => text);
  return printed.length === 0 ? undefined : printed.join("\n");
}

/** A pattern for an output, in which each `…` stands for any text. */
export const patternOf = (printed: string): RegExp =>
  new RegExp(`^${printed.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replaceAll("…", "[^]*")}$`);
