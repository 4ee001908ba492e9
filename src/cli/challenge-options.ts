import { CHALLENGE_REPORTERS } from "../challenge/reporters.js";
import { keysOf } from "../kernel/keys.js";
import { EXEC_OPTIONS, TARGET_OPTIONS } from "./exec-options.js";
import { asText, flag, list, oneOf, optional, positive, type Values, withDefault } from "./options.js";
import { RUN_OPTIONS } from "./run-options.js";

/** The options of `challenge`. */
export const CHALLENGE_OPTIONS = {
  scenario: RUN_OPTIONS.scenario,
  ...EXEC_OPTIONS,
  only: list(
    "only challenges of this name or pattern, repeatable: duplicated, 'behaviour/*', duplicated/transfer",
  ),
  skip: list("none of this name or pattern, repeatable"),
  pairs: flag("try two at once of those that hold alone and touch the same turn of the conversation"),
  accept: optional("breaks that are known: they do not fail the run", asText),
  update: flag("write what breaks now into the file of --accept"),
  write: optional("write each break into this folder, as a scenario with the change inside", asText),
  "token-header": optional(
    "the system under test takes its token from this header of the delivery: several sandboxes at once",
    asText,
  ),
  jobs: optional("with --token-header, how many runs at once (default: 4)", positive),
  reporter: withDefault(
    keysOf(CHALLENGE_REPORTERS).join(", "),
    oneOf("reporter", CHALLENGE_REPORTERS),
    "pretty",
  ),
  verbose: flag("show each challenge, not only the causes of what broke"),
  ...TARGET_OPTIONS,
  "max-steps": RUN_OPTIONS["max-steps"],
};
export type ChallengeValues = Values<typeof CHALLENGE_OPTIONS>;
