/** The catalogue of control errors. */
import { CONTROL_ERROR_KEYS, controlErrorEntry, ERROR_CODES, occasionOf } from "../../src/control/errors.js";
import { code, page } from "./markdown.js";

export function errorsPage(): string {
  const entries = CONTROL_ERROR_KEYS.map((key) => ({ ...controlErrorEntry(key), occasion: occasionOf(key) }));
  const parts = Object.entries(ERROR_CODES).map(([name, status]) => [
    `## ${name}`,
    `Status ${status}.`,
    entries
      .filter((entry) => entry.code === name)
      .map(({ message, occasion }) => `- ${code(message)}${occasion === undefined ? "" : `: ${occasion}`}`)
      .join("\n"),
  ]);
  return page(
    "Errors of the control API",
    'A refused call returns `{ "error": { "code", "message", "details": [{ "path", "message" }] } }`. Programs should distinguish errors by status and `code`; messages may change. `${…}` stands for a value of the call; `details` lists the problems of an input, and the message for an unknown thread, business, user, webhook, snapshot, fault or sandbox ends with the existing ones: `; threads: 9001, 9002`.',
    ...parts,
    "The simulated API has its own errors: its [pages](api/README.md) list them by operation, and [Behaviour](behaviour.md#responses) lists the entries that control them.",
  );
}
