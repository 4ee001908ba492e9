/** The instructions for coding assistants, followed to the letter. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { ROOT, textOf } from "./fences.js";
import { follow, SLOW } from "./reader.js";

it("SKILL.md leads from the start to a test that passes", { timeout: SLOW }, () => follow("SKILL.md"));

it("SKILL.md says when to use it, and the package brings it", () => {
  const [, head = ""] = /^---\n([\s\S]*?)\n---\n/.exec(textOf("SKILL.md")) ?? [];
  const { name, description, ...none } = parse(head);
  expect([name, none]).toEqual(["messaging-sim", {}]);
  expect(description.length).toBeLessThan(1024);
  expect(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).files).toContain("SKILL.md");
});
