/** The fenced blocks of handwritten pages. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..", "..");

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
export function fencesOf(page: string): Fence[] {
  const fences: Fence[] = [];
  let open: { line: number; language: string; file: string | undefined; lines: string[] } | undefined;
  for (const [index, line] of textOf(page).split("\n").entries()) {
    const fence = /^```(\S*)(?: \[(\S+)\])?$/.exec(line);
    if (open === undefined && fence !== null)
      open = { line: index + 2, language: fence[1] ?? "", file: fence[2], lines: [] };
    else if (open !== undefined && line === "```") {
      const { lines, ...rest } = open;
      fences.push({ page, ...rest, text: `${lines.join("\n")}\n` });
      open = undefined;
    } else open?.lines.push(line);
  }
  return fences;
}

/** Commands that run together, and their output according to the comments below them. */
export interface Commands {
  readonly script: string;
  /** The printed lines; a `…` stands for any text. Undefined where the page prints none. */
  readonly output: string | undefined;
  /** The exit code of what fails last: `# exit code 2`. */
  readonly code: number;
}

const COMMENT = /^#( |$)/;
const EXIT_CODE = /^exit code (\d+)$/;

/** The commands of a block. Comments above a command explain it; comments right below it are its output. */
export function commandsOf(block: string): Commands[] {
  const found: { script: string[]; printed: string[] }[] = [];
  for (const paragraph of block.trim().split(/\n\n+/)) {
    const lines = paragraph.split("\n");
    const first = lines.findIndex((line) => !COMMENT.test(line));
    let wasComment = true;
    for (const line of first < 0 ? [] : lines.slice(first)) {
      const isComment = COMMENT.test(line);
      if (!isComment && wasComment) found.push({ script: [], printed: [] });
      if (isComment) found.at(-1)?.printed.push(line.replace(COMMENT, ""));
      else found.at(-1)?.script.push(line);
      wasComment = isComment;
    }
  }
  return found.map(({ script, printed }) => {
    const [, code] = EXIT_CODE.exec(printed.at(-1) ?? "") ?? [];
    const output = code === undefined ? printed : printed.slice(0, -1);
    return {
      script: `${script.join("\n")}\n`,
      output: output.length === 0 ? undefined : output.join("\n"),
      code: Number(code ?? 0),
    };
  });
}

/** The output of a program's `console.log` calls, according to the comments after them; undefined if there are none. */
export function printedBy(program: string): string | undefined {
  const printed = [...program.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text]) => text);
  return printed.length === 0 ? undefined : printed.join("\n");
}

/** A pattern for an output, in which each `…` stands for any text. */
export const patternOf = (printed: string): RegExp =>
  new RegExp(`^${printed.split("…").map(escaped).join("[^]*")}$`);

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
