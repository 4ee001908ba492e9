/** The way from a call to what the receiver of its event answered (contract section 5, `causedBy`). */
import type { Transport } from "../client/transport.js";
import type { DeliveryRecord, RequestRecord } from "../client/types.js";
import { summaryOf } from "./entries.js";
import type { ChainLink } from "./report.js";

/** How many characters of a receiver's answer are shown. */
const MAX_ANSWER = 200;

/** The chain that the journal entry or delivery with this id is part of. */
export async function chainOf(transport: Transport, id: string): Promise<ChainLink[]> {
  const deliveries = await transport.call<DeliveryRecord[]>("GET", "/deliveries");
  if (!id.startsWith("d")) {
    const caused = deliveries.filter(({ causedBy }) => causedBy === id);
    return [await causeOf(transport, id), ...caused.flatMap(deliveryLinks)];
  }
  const delivery = deliveries.find((candidate) => candidate.id === id);
  if (delivery === undefined) return [];
  return [
    ...(delivery.causedBy === null ? [] : [await causeOf(transport, delivery.causedBy)]),
    ...deliveryLinks(delivery),
  ];
}

async function causeOf(transport: Transport, id: string): Promise<ChainLink> {
  const requests = id.startsWith("r") ? await transport.call<RequestRecord[]>("GET", "/requests") : [];
  const request = requests.find((candidate) => candidate.id === id);
  if (request === undefined)
    return id.startsWith("r")
      ? { kind: "request", id, text: "a call that no sandbox's token belongs to" }
      : { kind: "control", id, text: "a control call" };
  const answer =
    request.status !== null && request.status >= 400 ? ` ${JSON.stringify(request.response)}` : "";
  return { kind: "request", id, text: `${summaryOf(request)} by the ${request.by}${answer}` };
}

function deliveryLinks(delivery: DeliveryRecord): ChainLink[] {
  const { id, attempts, reason, nextAttemptAt } = delivery;
  const more = reason ?? (nextAttemptAt === null ? "" : "the next attempt is not due");
  return [
    { kind: "delivery", id, text: summaryOf(delivery) + (more === "" ? "" : `, ${more}`) },
    ...attempts.map(({ status, error, responseBody, copy }, index) => ({
      kind: "attempt" as const,
      id: null,
      text: `${copy ? "changed copy" : `attempt ${numberOf(attempts, index)}`}: ${status ?? error ?? "no answer"}${answerText(responseBody)}`,
    })),
  ];
}

/** Which attempt it is, from 1; copies that a fault sends are none. */
const numberOf = (attempts: DeliveryRecord["attempts"], index: number): number =>
  attempts.slice(0, index + 1).filter(({ copy }) => !copy).length;

const answerText = (body: string | null): string =>
  body === null || body === "" ? "" : ` ${body.length > MAX_ANSWER ? `${body.slice(0, MAX_ANSWER)}…` : body}`;
