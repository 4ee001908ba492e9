/** What a report says beside its steps: warnings, and after a failure what else went on. */

import { segment } from "../client/address.js";
import type { Transport } from "../client/transport.js";
import type { RequestRecord, Warning } from "../client/types.js";
import { summaryOf } from "./entries.js";
import type { CallSummary, Report, WarningSummary } from "./report.js";
import type { Runner } from "./runner.js";
import { mergedWarnings } from "./warnings.js";

/** How many of the newest calls a failed run shows. */
const NEWEST_CALLS = 10;

type Evidence = Pick<Report, "warnings" | "unexpected" | "transcript" | "journal">;

export async function evidenceOf(
  { transport, consumed }: Pick<Runner, "transport" | "consumed">,
  threads: Iterable<string>,
  ok: boolean,
): Promise<Evidence> {
  const warnings = await transport.call<Warning[]>("GET", "/warnings");
  if (ok && warnings.length === 0) return { warnings: [], unexpected: [] };
  const query = { since: consumed.start("requests") };
  const calls = await transport.call<RequestRecord[]>("GET", "/requests", { query });
  const merged = mergedWarnings(summarized(warnings, calls));
  if (ok) return { warnings: merged, unexpected: [] };
  const unexpected = calls.filter(({ id, by }) => by === "client" && !consumed.isTaken("requests", id));
  return {
    warnings: merged,
    unexpected: unexpected.map(callSummary),
    transcript: await transcriptsOf(transport, threads),
    journal: calls.slice(-NEWEST_CALLS).map(callSummary),
  };
}

const callSummary = (call: RequestRecord): CallSummary => ({
  id: call.id,
  at: call.at,
  by: call.by,
  summary: summaryOf(call),
  body: call.body,
  status: call.status,
  response: call.response,
});

/** The warnings with the calls that caused them. Warnings about earlier calls are left out. */
function summarized(warnings: readonly Warning[], calls: readonly RequestRecord[]): WarningSummary[] {
  const byId = new Map(calls.map((call) => [call.id, call]));
  return warnings.flatMap(({ code, message, section, requestId }) => {
    const call = requestId === null ? undefined : byId.get(requestId);
    if (requestId !== null && call === undefined) return [];
    const site = call === undefined ? "the simulator" : `${call.method} ${call.operation ?? call.path}`;
    return [{ code, message, section, site, by: call?.by ?? null, count: 1 }];
  });
}

/** The conversations of threads, in Markdown. */
export async function transcriptsOf(transport: Transport, threads: Iterable<string>): Promise<string> {
  const parts: string[] = [];
  for (const thread of threads) {
    const { status, body } = await transport.answer<string>("GET", `/threads/${segment(thread)}/transcript`, {
      query: { format: "md" },
      accept: [404],
    });
    if (status === 200) parts.push(String(body).trimEnd());
  }
  return parts.join("\n\n");
}
