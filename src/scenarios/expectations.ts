/** What the step `expect` waits for beside entries that it uses up. */
import type { SimError } from "../client/errors.js";
import { differences } from "../kernel/matching.js";
import { monotonicNow, sleep } from "../kernel/realtime.js";
import type { Run } from "./run.js";
import type { StepResult } from "./step.js";
import { StepFailure } from "./step.js";

/** Only calls by the system under test count. */
export const byClient = (_run: Run, match: object): object => ({ by: "client", ...match });

export interface ExpectedState {
  readonly collection: string;
  readonly id: string | number;
  readonly values?: Readonly<Record<string, unknown>>;
  readonly absent?: boolean;
}

/** Real time between two looks at a record, ms. */
const BETWEEN_LOOKS = 10;

export async function awaitState(
  run: Run,
  { collection, id, values, absent = false }: ExpectedState,
  within: number,
): Promise<StepResult> {
  const deadline = monotonicNow() + within;
  const what = `${collection}/${id}`;
  for (;;) {
    const record = await recordOf(run, collection, String(id));
    const differing = record === undefined || values === undefined ? [] : differences(values, record);
    const holds = absent ? record === undefined : record !== undefined && differing.length === 0;
    if (holds)
      return { outcome: { body: record }, note: absent ? `there is no ${what}` : `${what} is as expected` };
    if (monotonicNow() < deadline) {
      await sleep(BETWEEN_LOOKS);
      continue;
    }
    if (record === undefined) throw new StepFailure(`there is no ${what}`, { expected: values });
    throw new StepFailure(absent ? `there is a ${what}` : `${what} is not as expected`, {
      expected: absent ? "no such record" : values,
      seen: record,
      ...(absent ? {} : { nearMisses: [{ id: String(id), summary: what, differences: differing }] }),
    });
  }
}

async function recordOf(run: Run, collection: string, id: string): Promise<unknown> {
  const path = `/data/${encodeURIComponent(collection)}/${encodeURIComponent(id)}`;
  const all = await run.wire.answer("GET", path, { accept: [404] });
  if (all.status !== 404) return all.body;
  // A collection that does not exist is a mistake in the scenario, not a record that is missing.
  await run.wire.call("GET", `/data/${encodeURIComponent(collection)}`, {
    query: { _page: 1, _per_page: 1 },
  });
  return undefined;
}

export async function awaitIdle(run: Run, within: number): Promise<StepResult> {
  const { status, body } = await run.wire.answer<{ onTheirWay?: string[]; error?: { message: string } }>(
    "POST",
    "/wait",
    { body: { for: "idle", timeoutMs: Math.ceil(within) }, accept: [408] },
  );
  if (status !== 408) return { note: "idle" };
  throw new StepFailure(`nothing comes to rest within ${Math.round(within)} ms`, {
    expected: "no call on its way, no delivery that is due",
    seen: body.onTheirWay ?? body.error?.message,
    about: body.onTheirWay?.[0],
  });
}

/** Makes sure that nothing matches from now on for a time. */
export async function awaitNone(
  run: Run,
  { request, delivery }: { readonly request?: object; readonly delivery?: object },
  time: number,
): Promise<StepResult> {
  const kind = request === undefined ? "deliveries" : "requests";
  const match = request === undefined ? (delivery ?? {}) : byClient(run, request);
  const entry = await run.ledger.next(kind, match, await run.ledger.newest(kind), time);
  if (entry === undefined) return { note: `none for ${time} ms` };
  throw new StepFailure(`there should have been none for ${time} ms`, {
    expected: { none: match },
    seen: run.ledger.summary(kind, entry),
    about: entry.id,
  });
}

/** The message of a refused control call without the call itself. */
export const refusalText = (error: SimError): string =>
  error.status === null ? error.message : error.message.replace(/^\S+ \S+ → \d+ /, "");
