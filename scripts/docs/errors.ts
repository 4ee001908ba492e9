/** The catalogue of control errors. */
import { CONTROL_ERROR_KEYS, controlErrorEntry, ERROR_CODES } from "../../src/control/errors.js";
import { code, page, table } from "./markdown.js";

export function errorsPage(): string {
  const entries = CONTROL_ERROR_KEYS.map(controlErrorEntry);
  const parts = Object.entries(ERROR_CODES).map(([name, status]) => [
    `## ${name}`,
    `Status ${status}.`,
    table(
      ["when", "message"],
      entries.filter((entry) => entry.code === name).map(({ when, message }) => [when, code(message)]),
    ),
  ]);
  return page(
    "Errors of the control API",
    'A refused call answers `{ "error": { "code", "message", "details": [{ "path", "message" }] } }`. Programs tell errors by the status and `code`; the message is for people. `${…}` stands for what the call gave or met; `details` lists the problems of an input one by one, and the message for a missing thread, business, user, webhook, snapshot, fault or sandbox ends with those that exist: `; threads: 9001, 9002`.',
    ...parts,
    "The simulated API has its own errors: its [pages](api/README.md) list them by operation, and [Behaviour](behaviour.md#answers) lists the entries that control them.",
  );
}
