/** Breaks that are known: a file in the repository of the system under test. */
import { array, object, string } from "../kernel/schema.js";
import { currentName } from "./names.js";
import type { ChallengeReport } from "./report.js";

export const acceptedSchema = object(
  {
    accepted: array(object({ name: string(), scenario: string() }), { maxItems: 100_000 }),
  },
  { title: "accepted challenges" },
);

export interface Accepted {
  readonly name: string;
  readonly scenario: string;
}

/** The breaks of a report that no scenario tolerates. */
export const breaksOf = ({ challenges }: ChallengeReport): Accepted[] =>
  challenges
    .filter(({ verdict }) => verdict === "broke" || verdict === "accepted")
    .map(({ name, scenario }) => ({ name, scenario }));

/** The accepted breaks that a report shows to hold now. */
export const mendedOf = ({ challenges }: ChallengeReport, accepted: readonly Accepted[]): Accepted[] =>
  accepted.filter(({ name, scenario }) =>
    challenges.some(
      (result) => result.name === currentName(name) && result.scenario === scenario && result.held,
    ),
  );
