/** The records that a world starts from. */
import { COLLECTIONS, RECORD_SCHEMAS } from "../../src/service/world/records.js";
import { REFERENCES } from "../../src/service/world/references.js";
import { code, page } from "./markdown.js";
import { fieldTable } from "./schemas.js";

export const fixturesPage = (): string =>
  page(
    "Fixtures",
    "A fixture is one JSON document. Its keys are collections, each an array of records with a string `id`; a collection that is left out is empty. `fixtures/default.json` is what a bare start serves, `messaging-sim check` validates a file, `messaging-sim generate` makes one, `messaging-sim schema fixtures` prints the JSON Schema. A dangling reference, an id given twice or a value of the wrong form makes the whole file unusable; every problem is reported with its place.",
    COLLECTIONS.map((name) => [
      `## ${name}`,
      fieldTable(RECORD_SCHEMAS[name]),
      REFERENCES[name].length > 0 &&
        `Names records of other collections: ${REFERENCES[name].map(({ field, target }) => `${code(field)} (${target})`).join(", ")}.`,
    ]),
  );
