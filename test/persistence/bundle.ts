/** Bundles of sandboxes with traffic of every kind, and simulators that open them. */
import { scratch } from "../scenarios/support.js";
import type { Running } from "../support/simulator.js";
import { startSimulator } from "../support/simulator.js";

export const bundleOf = async (sim: Running, id?: string) =>
  (await sim.control(id === undefined ? "GET /bundle" : `GET /sandboxes/${id}/bundle`)).body;

export const opened = (bundle: unknown, options = {}) =>
  startSimulator({ ...options, bundle: scratch()("case.json", JSON.stringify(bundle)) });

const READ =
  "scenarios/last state start requests deliveries warnings controls changes behaviour faults snapshots".split(
    " ",
  );

export async function read(sim: Running, base = "") {
  const answers: Record<string, unknown> = {};
  for (const route of READ) answers[route] = (await sim.control(`GET ${base}/${route}?secrets=show`)).body;
  return answers;
}

/** Makes something of every kind that a sandbox keeps. */
export async function makeTraffic(
  { api, control }: Pick<Running, "api" | "control">,
  base = "",
  token = "acme-token",
) {
  const as = { token };
  await control(`POST ${base}/snapshots`, { name: "before" });
  const steps = [{ silent: "1ms" }, { reply: {}, within: "1ms" }];
  await control(`POST ${base}/scenarios/run`, {
    scenario: { name: "Nobody answers", thread: "9001", steps },
  });
  await control(`POST ${base}/threads/9001/inbound`, { text: "Hello" });
  await control(`POST ${base}/wait`, { for: "idle" });
  const match = { method: "GET" };
  await control(`POST ${base}/faults`, { on: "request", match, after: 1, then: "unavailable" });
  await api("GET /api/get-customer-thread-details?customerThreadId=9001", undefined, as);
  await api("GET /api/get-customer-thread-details?customerThreadId=9001&x=1%202", undefined, as);
  await api("POST /api/send-message-to-customer-thread", { customerThreadId: 9001, text: "Good day" }, as);
  await api("POST /api/send-message-to-customer-thread", "no JSON", as);
  await api("GET /api/nowhere", undefined, { token: null });
  await control(`PATCH ${base}/behaviour`, { "window.duration": "24h" });
  await control(`PUT ${base}/clock`, { now: Date.parse("2027-03-04T05:06:07Z") });
  await control(`POST ${base}/threads/9002/transfer`, { businessId: "1002" });
  await control(`POST ${base}/wait`, { for: "idle" });
}
