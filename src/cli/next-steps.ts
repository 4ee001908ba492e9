import { printable } from "../kernel/printable.js";
import type { Thread } from "../world/records.js";
import type { RecordReader } from "../world/world.js";

const MAX_LISTED = 4;

/** What somebody can try who has just started the simulator: tokens, threads, a call, the dashboard. */
export function nextSteps(url: string, records: RecordReader, caFile?: string): string {
  const tokens = [...take(records.all("tokens"), MAX_LISTED)];
  const threads = [...take(records.all("threads"), MAX_LISTED)];
  const lines = [
    [
      "tokens",
      listed(
        tokens.map(({ id }) => id),
        records.count("tokens"),
      ),
    ],
    ["threads", listed(threads.map(threadText), records.count("threads"))],
    ["try", exampleCall(url, records, caFile)],
    ["dashboard", `${url}/__sim/ui/`],
  ] as const;
  return lines
    .filter(([, text]) => text !== "")
    .map(([name, text]) => `  ${name.padEnd(9)}  ${printable(text)}\n`)
    .join("");
}

const threadText = ({ id, channel, status, isMessagingWindowOpen }: Thread): string =>
  `${id} (${channel}, ${status}${isMessagingWindowOpen ? "" : ", window closed"})`;

const listed = (texts: readonly string[], count: number): string =>
  texts.join(", ") + (count > texts.length ? ` and ${count - texts.length} more` : "");

/** A call that answers 200: a token beside a thread that its user may access, looked for among the first few. */
function exampleCall(url: string, records: RecordReader, caFile: string | undefined): string {
  for (const { id: token, userId } of take(records.all("tokens"), 100)) {
    const businesses = records.get("users", userId)?.businessIds ?? [];
    for (const { id, businessId } of take(records.all("threads"), 100)) {
      if (!businesses.includes(businessId)) continue;
      const trust = caFile !== undefined ? ` --cacert ${caFile}` : url.startsWith("https:") ? " -k" : "";
      const headers = `-H 'token: ${token}' -H 'Content-Type: application/json'`;
      return `curl${trust} ${headers} '${url}/api/get-customer-thread-details?customerThreadId=${id}'`;
    }
  }
  return "";
}

function* take<T>(values: Iterable<T>, max: number): Generator<T> {
  let count = 0;
  for (const value of values) {
    if (count === max) return;
    count += 1;
    yield value;
  }
}
