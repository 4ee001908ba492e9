/** For each row of the tables a scenario that makes it happen: its steps prepare the world and wait for the system under test. */
import { stringify } from "yaml";
import type { CoverageReport, EventKind } from "../sandbox/coverage.js";

type Outcome = Pick<CoverageReport["operations"][number]["outcomes"][number], "outcome" | "status">;

/** The texts of scenarios by their JSON: there are a few hundred, and a report without calls holds them all. */
const written = new Map<string, string>();

function yaml(scenario: object): string {
  const key = JSON.stringify(scenario);
  const text = written.get(key) ?? stringify(scenario, { lineWidth: 0, flowCollectionPadding: true });
  written.set(key, text);
  return text;
}

/** The next call of the operation comes to this outcome. */
export function outcomeSnippet(operation: string, { outcome, status }: Outcome): string {
  // A call that came before the fault stood is not the one that is waited for.
  const comes = { expect: { request: { operation, status } } };
  if (outcome === "success")
    return yaml({ name: `The system under test calls ${operation}`, steps: [comes] });
  const fault = { on: "request", match: { operation }, times: 1, then: { refusal: outcome } };
  return yaml({ name: `${operation} is refused: ${outcome}`, steps: [{ fault }, comes] });
}

const STEPS: Readonly<Record<EventKind["cause"], readonly object[]>> = {
  customer: [{ customer: "Hello" }],
  employee: [{ employee: { user: "501", says: "I take over" } }],
  api: [{ expect: { request: { operation: "sendMessageToCustomerThread", status: 200 } } }],
  control: [{ transfer: "1002" }],
};

/** Makes a legacy webhook. */
const LEGACY_WEBHOOK = {
  request: "POST /api/update-hook-url",
  token: "acme-token",
  body: { url: "sink:legacy" },
  expect: 200,
};

/** An event of this kind goes out; thread, user, business and token are those of the fixture that ships. */
export const eventSnippet = ({ event, cause, legacy }: EventKind): string =>
  yaml({
    name: `A${legacy ? " legacy" : ""} ${event} event (${cause})`,
    thread: "9001",
    steps: [...(legacy ? [LEGACY_WEBHOOK] : []), ...STEPS[cause], { delivered: event }],
  });
