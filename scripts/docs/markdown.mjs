// Small pieces of Markdown.

/** Text for a cell of a table. */
const cell = (text) =>
  String(text)
    .replaceAll("|", "\\|")
    .replace(/\s*\n\s*/g, " ");

/** A table, without the columns that are empty in every row. Undefined without rows. */
export function table(heads, rows) {
  if (rows.length === 0) return undefined;
  const used = heads.map((_, column) => rows.some((row) => (row[column] ?? "") !== ""));
  const line = (cells) =>
    `| ${cells
      .filter((_, column) => used[column])
      .map((text) => cell(text ?? ""))
      .join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Code inside a line, whatever backticks it holds. */
export function code(text) {
  const fence = text.includes("`") ? "``" : "`";
  return text.includes("`") ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`;
}

/** A value as JSON on one line, as code. */
export const jsonCode = (value) => code(JSON.stringify(value));

export const block = (language, text) => `\`\`\`${language}\n${text}\n\`\`\``;
export const jsonBlock = (value) => block("json", JSON.stringify(value, null, 2));

/** The anchor that GitHub gives a heading. */
export const anchor = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

/** Puts blocks together, without those that there are not; every page says where it comes from. */
export const page = (title, ...blocks) =>
  `${[`# ${title}`, ...blocks.flat().filter(Boolean)].join("\n\n")}\n\n<!-- Written by \`npm run docs\` from the tables in src. -->\n`;
