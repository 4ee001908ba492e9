// The catalogue of control errors.

import { code, page, table } from "./markdown.mjs";

export function errorsPage({ CONTROL_ERROR_KEYS, ERROR_CODES, controlErrorEntry }) {
  const entries = CONTROL_ERROR_KEYS.map(controlErrorEntry);
  return page(
    "Errors of the control API",
    'A refused call answers `{ "error": { "code", "message", "details": [{ "path", "message" }] } }`. Programs tell errors by the status and `code`; the message is for people. `${…}` stands for what the call gave or met; `details` lists the problems of an input one by one.',
    Object.entries(ERROR_CODES).flatMap(([name, status]) => [
      `## ${name}`,
      `Status ${status}.`,
      table(
        ["when", "message"],
        entries.filter((entry) => entry.code === name).map(({ when, message }) => [when, code(message)]),
      ),
    ]),
    "The simulated API has errors of its own: its [pages](api/README.md) list them by operation, and [Behaviour](behaviour.md#answers) what decides them.",
  );
}
