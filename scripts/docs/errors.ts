/** The catalogue of control errors. */
import { CONTROL_ERRORS } from "../../src/control/errors.js";
import { code, page } from "./markdown.js";

export function errorsPage(): string {
  const entries = Object.values(CONTROL_ERRORS);
  const parts = [...new Set(entries.map((entry) => entry.code))].map((name) => {
    const own = entries.filter((entry) => entry.code === name);
    const lines = own.map(({ message }) => `- ${code(message)}`);
    return [`## ${name}`, `Status ${own[0]?.status}.`, lines.join("\n")];
  });
  return page(
    "Errors of the control API",
    'A refused call returns `{ "error": { "code", "message", "details": [{ "path", "message" }] } }`. Programs should distinguish errors by status and `code`; messages may change. `${…}` stands for a value of the call; `details` lists the problems of an input, and the message for an unknown thread, business, user, webhook, snapshot, fault or sandbox ends with the existing ones: `; threads: 9001, 9002`.',
    ...parts,
    "The simulated API has its own errors: its [pages](api/README.md) list them by operation, and [Behaviour](behaviour.md#responses) lists the entries that control them.",
  );
}
