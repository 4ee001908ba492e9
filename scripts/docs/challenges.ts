/** What `messaging-sim challenge` tries. */

import { CHALLENGE_ROWS, otherValues } from "../../src/lab/challenge/table.js";
import { BEHAVIOUR_KEYS } from "../../src/service/behaviour/table.js";
import { code, page, table } from "./markdown.js";

export const challengesPage = (): string =>
  page(
    "Challenges",
    "The changes that `messaging-sim challenge` makes around the system under test. Events are `message.customer`, `message.business` and `transfer`, with the suffix `.legacy` for messages to a webhook of the legacy endpoint.",
    [
      "## Kinds",
      table(
        ["name", "what changes", "why it happens", "remedy"],
        Object.entries(CHALLENGE_ROWS).map(([name, { each, change, why, remedy }]) => [
          `${code(name)}${each === undefined ? "" : `, ${each}`}`,
          change,
          why,
          remedy,
        ]),
      ),
    ],
    [
      "## Other values of behaviour entries",
      "Entries that the scenario sets itself are not changed. For entries with unlimited values, a few representative ones are tried.",
      table(
        ["entry", "other values"],
        BEHAVIOUR_KEYS.map((key) => {
          const labels = Object.keys(otherValues(key)).map((label) => code(label));
          return [code(key), labels.join(", ") || "none"];
        }),
      ),
    ],
  );
