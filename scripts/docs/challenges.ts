/** What `messaging-sim challenge` tries. */

import { otherValues, untried } from "../../src/lab/challenge/derive.js";
import type { ChallengeKind } from "../../src/lab/challenge/kinds.js";
import { CHALLENGE_KINDS } from "../../src/lab/challenge/kinds.js";
import { BEHAVIOUR_KEYS } from "../../src/service/behaviour/table.js";
import { code, page, table } from "./markdown.js";

const ABOUT: Readonly<Record<ChallengeKind["about"], string>> = {
  behaviour: "`/KEY=VALUE`, for each entry that was consulted",
  operation: "`/OPERATION`, for each operation that was called",
  event: "`/EVENT`, for each kind of event that was sent",
  ids: "",
  templates: "",
};

export const challengesPage = (): string =>
  page(
    "Challenges",
    "The changes that `messaging-sim challenge` makes around the system under test. Events are `message.customer`, `message.business` and `transfer`, with the suffix `.legacy` for messages to a webhook of the legacy endpoint.",
    [
      "## Kinds",
      table(
        ["name", "what changes", "why it happens", "remedy"],
        Object.entries<ChallengeKind>(CHALLENGE_KINDS).map(([name, { about, change, why, remedy }]) => [
          `${code(name)}${ABOUT[about] === "" ? "" : `, ${ABOUT[about]}`}`,
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
        BEHAVIOUR_KEYS.map((key) => [
          code(key),
          untried(key) === undefined
            ? otherValues(key)
                .map(({ label }) => code(label))
                .join(", ")
            : `none: ${untried(key)}`,
        ]),
      ),
    ],
  );
