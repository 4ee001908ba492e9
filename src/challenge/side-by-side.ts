/** Two texts beside each other, each with a head. */

/** How many characters a line of each has. */
const WIDTH = 58;

type Column = readonly [head: string, text: string];

/** Lines that are too long go on in the next one. */
const wrapped = (text: string): string[] =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .flatMap((line) => line.match(new RegExp(`.{1,${WIDTH}}`, "gu")) ?? [""]);

/** How many lines at their beginning two texts have in common. */
function alike(left: readonly string[], right: readonly string[]): number {
  const at = left.findIndex((line, index) => line !== right[index]);
  return at < 0 ? left.length : at;
}

/** What they have in common at their beginning is left out. */
export function sideBySide(left: Column, right: Column): string[] {
  const texts = [wrapped(left[1]), wrapped(right[1])] as const;
  const same = alike(...texts);
  const [a, b] = [left, right].map(([head], at) => [
    head,
    "-".repeat(head.length),
    ...(same > 0 ? [`(${same} lines alike)`] : []),
    ...(texts[at] ?? []).slice(same),
  ]) as [string[], string[]];
  return Array.from({ length: Math.max(a.length, b.length) }, (_, at) =>
    `${(a[at] ?? "").padEnd(WIDTH)} | ${b[at] ?? ""}`.trimEnd(),
  );
}
