/** How reports are written: as JSON, as Markdown tables. */
import { printableLines } from "./printable.js";

export const jsonText = (report: unknown): string => printableLines(`${JSON.stringify(report, null, 2)}\n`);

export const markdownTable = (heads: readonly string[], rows: readonly (readonly unknown[])[]): string[] =>
  [heads, heads.map(() => "-"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
