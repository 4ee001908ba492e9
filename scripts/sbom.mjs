// @ts-check
// Prints what the built package is made of, in CycloneDX: node scripts/sbom.mjs > messaging-sim.cdx.json
// The packages are those whose licences the build has collected: what is bundled, and nothing that only builds it.

import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const { name, version, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const dist = join(root, "dist");

/**
 * @param {"application" | "library"} type
 * @param {{ name: string, version: string, license: string }} found
 */
function component(type, found) {
  const purl = `pkg:npm/${found.name.replace("@", "%40")}@${found.version}`;
  const { name, version } = found;
  return { type, "bom-ref": purl, name, version, purl, licenses: [{ expression: found.license }] };
}

/** `name version (licence)` of the program, `## name - version (licence)` of the dashboard. */
const TITLE = /^(?:## )?((?:@[\w.-]+\/)?[\w.-]+)(?: -)? (\d+\.\d+\.\d+\S*) \((.+)\)$/gm;

const bundled = ["THIRD-PARTY-LICENSES.txt", "dashboard/THIRD-PARTY-LICENSES.md"].flatMap((file) =>
  [...readFileSync(join(dist, file), "utf8").matchAll(TITLE)].map(
    ([, name = "", version = "", license = ""]) => component("library", { name, version, license }),
  ),
);
/** The program and the dashboard may bundle the same package. */
const components = [...new Map(bundled.map((one) => [one.purl, one])).values()];
const own = component("application", { name, version, license });
const bom = {
  bomFormat: "CycloneDX",
  specVersion: "1.6",
  version: 1,
  metadata: { component: own },
  components,
  dependencies: [{ ref: own["bom-ref"], dependsOn: components.map((one) => one["bom-ref"]) }],
};
console.log(JSON.stringify(bom, null, 2));
