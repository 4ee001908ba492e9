/** What a report says beside its steps: warnings, and after a failure what else went on. */

import { segment } from "../client/address.js";
import type { Transport } from "../client/transport.js";
import type { RequestRecord, Warning } from "../client/types.js";
import { summaryOf } from "./entries.js";
import type { CallSummary, Report, WarningSummary } from "./report.js";
import type { StepContext } from "./step.js";

/** How many of the newest calls a failed run shows. */
const NEWEST_CALLS = 10;

type Evidence = Pick<Report, "warnings" | "unexpected" | "transcript" | "journal">;

export async function evidenceOf(
  { transport, consumed }: Pick<StepContext, "transport" | "consumed">,
  threads: Iterable<string>,
  ok: boolean,
): Promise<Evidence> {
  const warnings = await transport.call<Warning[]>("GET", "/warnings");
  if (ok && warnings.length === 0) return { warnings: [], unexpected: [] };
  const query = { since: consumed.start("requests") };
  const calls = await transport.call<RequestRecord[]>("GET", "/requests", { query });
  const summed = summedUp(warnings, calls);
  if (ok) return { warnings: summed, unexpected: [] };
  const unexpected = calls.filter(({ id, by }) => by === "client" && !consumed.isTaken("requests", id));
  return {
    warnings: summed,
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

/** One line for each kind of warning and the calls that caused it. Warnings about earlier calls are left out. */
function summedUp(warnings: readonly Warning[], calls: readonly RequestRecord[]): WarningSummary[] {
  const byId = new Map(calls.map((call) => [call.id, call]));
  const found = new Map<string, WarningSummary>();
  for (const { code, message, section, requestId } of warnings) {
    const call = requestId === null ? undefined : byId.get(requestId);
    if (requestId !== null && call === undefined) continue;
    const site = call === undefined ? "the simulator" : `${call.method} ${call.operation ?? call.path}`;
    const by = call?.by ?? null;
    const key = JSON.stringify([code, site, by]);
    const before = found.get(key);
    found.set(
      key,
      before === undefined
        ? { code, message, section, site, by, count: 1 }
        : { ...before, count: before.count + 1 },
    );
  }
  return [...found.values()];
}

/** The conversations of threads, in Markdown. */
async function transcriptsOf(transport: Transport, threads: Iterable<string>): Promise<string> {
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
