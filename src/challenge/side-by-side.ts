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

/** So many lines that are the same are worth leaving out. */
const MIN_ALIKE = 3;

/** Ids and times are different in every run. */
const shapeOf = (line: string | undefined): string | undefined => line?.replace(/\d+/g, "#");

/** What they have in common line by line is left out; nothing where that is all. */
export function sideBySide(left: Column, right: Column): string[] {
  const [a, b] = [wrapped(left[1]), wrapped(right[1])];
  const row = (one = "", other = "") => `${one.padEnd(WIDTH)} | ${other}`.trimEnd();
  const rows = [row(left[0], right[0]), row("-".repeat(left[0].length), "-".repeat(right[0].length))];
  if (a.map(shapeOf).join() === b.map(shapeOf).join()) return [];
  const { length } = a.length > b.length ? a : b;
  for (let at = 0; at < length; ) {
    let end = at;
    while (end < length && shapeOf(a[end]) === shapeOf(b[end])) end += 1;
    if (end - at >= MIN_ALIKE) {
      rows.push(row(...[`(${end - at} lines alike)`, `(${end - at} lines alike)`]));
      at = end;
    }
    for (const stop = Math.max(end, at + 1); at < stop && at < length; at += 1) rows.push(row(a[at], b[at]));
  }
  return rows;
}
