/** Where parts stand in a YAML text whose path is nearly one of it. */
import { expect, it } from "vitest";
import { readYaml } from "../../src/kernel/yaml-text.js";

const TEXT = "list:\n  - a\n  - b: 1\n1: one\nnull: none\n? [x]\n: y\nempty:\n";

it.each<[path: (string | number)[], onKey: boolean, line: number, column: number]>([
  [["list", 0], false, 2, 5],
  [["list", "0"], false, 2, 3],
  [["list", "length"], false, 2, 3],
  [["list", 5, "b"], false, 2, 3],
  [["list", 1, "b"], false, 3, 8],
  [["list", 1, "b"], true, 3, 5],
  [["list", 1, "b", "c"], true, 3, 8],
  [["list", 1], true, 3, 5],
  [["1"], false, 4, 4],
  [[1], false, 4, 4],
  [["null"], true, 5, 1],
  [["null", "x"], false, 5, 7],
  [["empty"], false, 8, 7],
  [["empty"], true, 8, 1],
  [["none"], true, 1, 1],
])("%j, its key %s, stands at %d:%d", (path, onKey, line, column) => {
  const parsed = readYaml(TEXT);
  if (parsed.problems !== undefined) throw new Error(JSON.stringify(parsed.problems));
  expect(parsed.locationsOf([{ path, onKey }])).toEqual([{ line, column }]);
});
