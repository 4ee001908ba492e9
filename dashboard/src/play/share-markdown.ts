import { plural } from "../lib/format";
import { type Block, newestWithin, type Shared, type SharedPart } from "./shared";

/** How long the turns are together at most, characters: GitHub takes issues of 65,536. */
const MAX_TURNS = 50_000;

/** A text as a block of code, in which no sign means anything and nobody is mentioned. */
function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

const lineOf = ({ head, text }: SharedPart): string =>
  text === "" ? `  ${head.replaceAll("\n", " ")}` : `${head}\n${text.replace(/^/gm, "> ")}`;

const blockOf = ([label, text]: Block): string => `${label}:\n\n${fenced(text)}`;

function turnOf(parts: readonly SharedPart[]): string {
  const blocks = parts.flatMap((part) => part.blocks).map(blockOf);
  const details =
    blocks.length === 0 ? [] : ["<details><summary>Payloads and answers</summary>", ...blocks, "</details>"];
  return [fenced(parts.map(lineOf).join("\n"), "text"), ...details].join("\n\n");
}

/** What is shared as the text of an issue. */
export function markdownOf({ title, facts, turns, due, test }: Shared): string {
  const { kept, left } = newestWithin(turns.map(turnOf), MAX_TURNS);
  const parts = [fenced(`${title}\n${facts}`, "text")];
  if (left > 0) parts.push(`${plural(left, "earlier turn")} left out.`);
  for (const [at, turn] of kept.entries()) parts.push(`### Turn ${left + at + 1}`, turn);
  if (due !== "") parts.push("### No reply", fenced(due, "text"));
  if (test !== "") parts.push("### Test", fenced(test.trimEnd(), "js"));
  return `${parts.join("\n\n")}\n`;
}
