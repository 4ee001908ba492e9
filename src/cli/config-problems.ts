import { readFile } from "node:fs/promises";
import { resolveServeOptions } from "../config/serve.js";
import type { ParsedDocument } from "../kernel/document.js";
import { reasonOf } from "../kernel/os-errors.js";
import { type Problem, problemAt } from "../kernel/problems.js";

/** What is wrong with a config file, and with the files that it names. */
export async function configProblems({ file, locate }: ParsedDocument): Promise<readonly Problem[]> {
  const resolved = await resolveServeOptions(["--config", file], {}, (name) => readFile(name, "utf8"));
  if (resolved.problems !== undefined) return resolved.problems;
  const { fixtures } = resolved.options;
  if (fixtures === undefined) return [];
  let text: string;
  try {
    text = await readFile(fixtures, "utf8");
  } catch (error) {
    return locate([problemAt(["fixtures"], `cannot read ${fixtures}: ${reasonOf(error)}`)]);
  }
  const { FixtureLoader } = await import("../world/load.js");
  return (await new FixtureLoader().readFixtureText(text, fixtures)).problems ?? [];
}
