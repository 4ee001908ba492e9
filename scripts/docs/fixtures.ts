/** The records that a world starts from. */
import { COLLECTIONS, RECORD_SCHEMAS } from "../../src/service/world/records.js";
import { REFERENCES } from "../../src/service/world/rules.js";
import { code, page } from "./markdown.js";
import { fieldTable } from "./schemas.js";

export const fixturesPage = (): string =>
  page(
    "Fixtures",
    "A fixture is one JSON document. Its keys are collections, each an array of records with a string `id`; missing collections are empty. `fixtures/default.json` is the default fixture. `messaging-sim check` validates a fixture, `messaging-sim generate` creates one, `messaging-sim schema fixtures` prints the JSON Schema. A dangling reference, a duplicate id or an invalid value makes the whole file unusable; every problem is reported with its location.",
    COLLECTIONS.map((name) => [
      `## ${name}`,
      fieldTable(RECORD_SCHEMAS[name]),
      REFERENCES[name].length > 0 &&
        `References: ${REFERENCES[name].map(({ field, target }) => `${code(field)} (${target})`).join(", ")}.`,
    ]),
  );
