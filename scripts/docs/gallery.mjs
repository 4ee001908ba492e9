// The gallery: every scenario that ships, with what it goes through.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { block, page } from "./markdown.mjs";

const folder = join(import.meta.dirname, "..", "..", "scenarios");

/** The step keys that a scenario uses, each once. */
function stepsOf(steps) {
  const keys = steps.flatMap((step) => {
    const [key] = Object.keys(step).filter((name) => !["name", "id"].includes(name));
    return key === "repeat" ? [key, ...stepsOf(step.repeat.steps)] : [key];
  });
  return [...new Set(keys)];
}

export function galleryPage() {
  const entries = readdirSync(folder)
    .filter((file) => file.endsWith(".yaml"))
    .sort()
    .flatMap((file) => {
      const text = readFileSync(join(folder, file), "utf8");
      const { name, steps } = parse(text);
      const words = `[scenarios/${file}](../../scenarios/${file}): ${stepsOf(steps).join(", ")}.`;
      return [
        `## ${name}`,
        words,
        `<details><summary>The scenario</summary>\n\n${block("yaml", text.trim())}\n\n</details>`,
      ];
    });
  return page(
    "Gallery of scenarios",
    "Each of these ships with the package, runs against the fixture that a bare start serves, and is a test of the simulator. `messaging-sim run scenarios/*.yaml` runs them all. The steps are described in the [reference](scenario.md).",
    entries,
  );
}
