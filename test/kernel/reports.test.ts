/** The formats of reports. */
import { expect, it } from "vitest";
import { markdownTable } from "../../src/kernel/reports.js";

it("writes Markdown tables", () => {
  expect(markdownTable(["a", "b"], [[1, "`c`"]])).toEqual(["| a | b |", "| - | - |", "| 1 | `c` |"]);
});
