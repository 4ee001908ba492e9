/** The gallery: every scenario that ships, with what it goes through. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { block, page } from "./markdown.js";

const folder = join(import.meta.dirname, "..", "..", "scenarios");

interface Step {
  readonly repeat?: { readonly steps: readonly Step[] };
}

/** The step keys that a scenario uses, each once. */
function stepsOf(steps: readonly Step[]): string[] {
  const keys = steps.flatMap((step) => {
    const own = Object.keys(step).filter((name) => !["name", "id"].includes(name));
    return [...own.slice(0, 1), ...stepsOf(step.repeat?.steps ?? [])];
  });
  return [...new Set(keys)];
}

export function galleryPage(): string {
  const entries = readdirSync(folder)
    .filter((file) => file.endsWith(".yaml"))
    .sort()
    .flatMap((file) => {
      const text = readFileSync(join(folder, file), "utf8");
      const { name, steps } = parse(text) as { readonly name: string; readonly steps: readonly Step[] };
      const summary = `[scenarios/${file}](../../scenarios/${file}): ${stepsOf(steps).join(", ")}.`;
      return [
        `## ${name}`,
        summary,
        `<details><summary>The scenario</summary>\n\n${block("yaml", text.trim())}\n\n</details>`,
      ];
    });
  return page(
    "Gallery of scenarios",
    "These scenarios are part of the package. They use the default fixture, and each is also a test of the simulator. `messaging-sim run scenarios/*.yaml` runs them all. The [reference](scenario.md) describes the steps.",
    entries,
  );
}
