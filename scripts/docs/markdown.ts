/** Small pieces of Markdown. */

/** A piece of a page: a block, several of them, or nothing. */
export type Blocks = string | number | false | undefined | readonly Blocks[];

type Cell = string | number | undefined;

const cellText = (text: Cell): string =>
  String(text ?? "")
    .replaceAll("|", "\\|")
    .replace(/\s*\n\s*/g, " ");

/** A section of the specification as a link; `up`: how many folders the page is below `docs`. */
export function specificationLink(section: string, up: number): string {
  // An operation has the same heading as its errors.
  const heading = section === "Errors / Delete user by email" ? "Errors of delete user by email" : section;
  return `[${section}](${"../".repeat(up)}specification.md#${anchor(heading.split(" / ").at(-1) ?? heading)})`;
}

/** A table, without the columns that are empty in every row. Undefined without rows. */
export function table(heads: readonly string[], rows: readonly (readonly Cell[])[]): string | undefined {
  if (rows.length === 0) return undefined;
  const used = heads.map((_, column) => rows.some((row) => (row[column] ?? "") !== ""));
  const line = (cells: readonly Cell[]): string =>
    `| ${cells
      .filter((_, column) => used[column])
      .map(cellText)
      .join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Code inside a line, whatever backticks it holds. */
export const code = (text: string): string => (text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``);

/** A value as JSON on one line, as code. */
export const jsonCode = (value: unknown): string => code(JSON.stringify(value));

export const block = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;
export const jsonBlock = (value: unknown): string => block("json", JSON.stringify(value, null, 2));

/** The anchor that GitHub gives a heading. */
export const anchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

/** Puts blocks together, without those that there are not; every page says where it comes from. */
export const page = (title: string, ...blocks: readonly Blocks[]): string =>
  `${[`# ${title}`, ...flat(blocks)].join("\n\n")}\n\n<!-- Written by \`npm run docs\` from the tables in src. -->\n`;

const flat = (blocks: Blocks): string[] =>
  Array.isArray(blocks) ? blocks.flatMap(flat) : blocks ? [String(blocks)] : [];
