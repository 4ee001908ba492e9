import type { IncomingMessage, ServerResponse } from "node:http";
import { contain } from "../kernel/contain.js";
import type { Load } from "../kernel/http/load.js";
import { drop, JSON_TYPE, sendText } from "../kernel/http/send.js";
import type { RouteTable } from "../kernel/routes.js";
import type { Totals } from "../sandbox/coverage.js";
import type { FaultAction } from "../sandbox/faults.js";
import type { JournalEntry } from "../sandbox/journal.js";
import type { TokenOwner } from "../sandbox/registry.js";
import type { BehaviourValues } from "../service/behaviour/table.js";
import type { Refusal } from "../service/domain/refusal.js";
import type { ApiAnswer } from "./answers.js";
import { valuesFor } from "./checks.js";
import { corsHeaders } from "./cors.js";
import type { Operation } from "./operation.js";
import { refusedAnswer } from "./pipeline.js";

/** What a path and method lead to. */
type Hit = ReturnType<RouteTable<Operation>["find"]>;

/** The operation that a call asks for, if it asks for one. */
export const operationOf = (hit: Hit): Operation | undefined =>
  hit !== undefined && "route" in hit ? hit.route : undefined;

/** Where calls are counted that are under way, and those that are over. */
interface Counters {
  readonly load: Load;
  readonly totals: Totals;
}

/** A call from its receipt until its answer is sent: it is answered or dropped once, and its journal entry closed. */
export class Exchange {
  readonly changesBefore: number;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    readonly entry: JournalEntry,
    readonly owner: TokenOwner,
    readonly token: string | undefined,
    readonly hit: Hit,
    readonly counters: Counters,
  ) {
    this.changesBefore = owner.run.log.changes;
  }

  /** The behaviour values that decide about it. */
  get values(): BehaviourValues {
    return valuesFor(this);
  }

  /** A refusal in the form of its operation. */
  refusal(key: Parameters<typeof refusedAnswer>[0], scope?: Refusal["scope"]): ApiAnswer {
    return refusedAnswer(key, operationOf(this.hit), this.values, scope);
  }

  /** Sends the answer, as the fault changes it. */
  respond(answer: ApiAnswer, fault: FaultAction | undefined): void {
    const { entry, owner, request, response } = this;
    const text = JSON.stringify(answer.body) ?? "null";
    const headers = ["X-Sim-Request", entry.id];
    if (answer.behaviour !== undefined) headers.push("X-Sim-Behaviour", answer.behaviour);
    if (answer.headers !== undefined) headers.push(...answer.headers);
    const { "cors.origins": origins } = this.values;
    if (origins.length > 0) headers.push(...corsHeaders(request, origins));
    if (fault?.headers !== undefined) headers.push(...Object.entries(fault.headers).flat());
    entry.close(answer.status, request.method === "HEAD" ? null : text);
    const sent = fault?.malformed ? `${text.slice(0, -1)},` : text;
    const confirm = () => (answer.status < 400 ? owner.run.log.proven(this.changesBefore) : undefined);
    sendText(response, answer.status, JSON_TYPE, sent, headers, confirm);
    const { outcome } = answer;
    if (outcome !== undefined && entry.operation !== null && entry.by === "client" && !fault?.malformed)
      owner.run.coverage.meet(entry.operation, outcome);
    this.close();
  }

  /** Closes the connection instead of answering. */
  drop(): void {
    drop(this.request);
    this.close();
  }

  /** Closes the journal entry and counts the call as finished; does nothing when that has happened. */
  close(): void {
    const { entry, owner, counters } = this;
    if (entry.settled) return;
    const { run } = owner;
    if (entry.open) entry.close(null, null);
    run.calls.leave();
    counters.load.calls -= 1;
    counters.totals.countCall(entry);
    contain(run.report, () => run.logs.journal.changed(entry, entry.cost));
    entry.settle();
  }
}
