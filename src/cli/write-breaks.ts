/** Breaks as scenarios of their own (`--write`). */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { asScenario, fileNameOf } from "../challenge/as-scenario.js";
import type { Break } from "../challenge/run.js";
import { reasonOf } from "../kernel/os-errors.js";
import type { Problem } from "../kernel/problems.js";

/** Writes a file for each break. @returns lines that say which, and what is wrong where one cannot be written */
export async function writeBreaks(
  folder: string,
  breaks: readonly Break[],
): Promise<{ readonly lines: readonly string[]; readonly problems: readonly Problem[] }> {
  const lines: string[] = [];
  for (const { scenario, challenge, observed } of breaks) {
    const { file, name } = scenario;
    const to = join(folder, fileNameOf(name, challenge));
    try {
      const text =
        file === undefined
          ? undefined
          : asScenario(await readFile(file, "utf8"), challenge, observed.sent, { from: file, to });
      if (text === undefined)
        lines.push(`${challenge.name} is no change that a scenario can say: not written\n`);
      else {
        await writeFile(to, text);
        lines.push(`${to}\n`);
      }
    } catch (error) {
      return { lines, problems: [{ path: "--write", message: `cannot write ${to}: ${reasonOf(error)}` }] };
    }
  }
  return { lines, problems: [] };
}
