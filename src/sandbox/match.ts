import type { Difference } from "../kernel/matching.js";
import { differences, matches, pathMatches } from "../kernel/matching.js";
import type { Infer } from "../kernel/schema.js";
import { object } from "../kernel/schema.js";
import type { deliveryMatchSchema, requestMatchSchema } from "../world/matches.js";
import { DELIVERY_MATCH, REQUEST_MATCH } from "../world/matches.js";
import type { Delivery } from "./deliveries.js";
import type { RequestRecord } from "./request-record.js";
import { hasSucceeded } from "./request-record.js";

/** MATCH over either; which fields make sense is told by what it is applied to. */
export const anyMatchSchema = object({ ...DELIVERY_MATCH, ...REQUEST_MATCH }, { title: "match" });

export type RequestMatch = Infer<typeof requestMatchSchema>;
export type DeliveryMatch = Infer<typeof deliveryMatchSchema>;

export const REQUEST_MATCH_FIELDS: readonly string[] = Object.keys(REQUEST_MATCH);
export const DELIVERY_MATCH_FIELDS: readonly string[] = Object.keys(DELIVERY_MATCH);

/** What a match reads of a call. */
export type RequestSubject = Pick<
  RequestRecord,
  "method" | "path" | "operation" | "token" | "status" | "body"
> &
  Partial<Pick<RequestRecord, "by" | "lostStatus">> & { readonly ownToken?: string | null };
/** What a match reads of a delivery. */
export type DeliverySubject = Pick<
  Delivery,
  "eventType" | "webhookId" | "hookId" | "threadId" | "status" | "causedBy" | "body"
>;

/** Where a call is not what a match asks for; empty when it matches. */
export function requestDifferences(match: RequestMatch, record: RequestSubject): Difference[] {
  const { path, token, ...rest } = match;
  return [
    ...pathDifferences(path, record.path),
    ...tokenDifferences(token, record),
    ...differences(rest, askedPart(rest, record)),
  ];
}

/** The fields of a call that a match names: reading others would cost. */
const askedPart = (match: Omit<RequestMatch, "path" | "token">, record: RequestSubject): object =>
  Object.fromEntries(
    Object.keys(match).map((field) => [
      field,
      field === "succeeded"
        ? hasSucceeded(record)
        : record[field as Exclude<keyof typeof match, "succeeded">],
    ]),
  );

function pathDifferences(path: unknown, seen: string): Difference[] {
  if (path === undefined) return [];
  if (typeof path !== "string") return differences(path, seen, "path");
  return pathMatches(path, seen) ? [] : [{ path: "path", expected: path, seen }];
}

function tokenDifferences(token: unknown, { token: sent, ownToken }: RequestSubject): Difference[] {
  if (token === undefined) return [];
  const asSent = differences(token, sent, "token");
  const either = asSent.length > 0 && typeof ownToken === "string" && matches(token, ownToken);
  return either ? [] : asSent;
}

/** Where a delivery is not what a match asks for; empty when it matches. */
export function deliveryDifferences(match: DeliveryMatch, delivery: DeliverySubject): Difference[] {
  const { webhookId, ...rest } = match;
  if (webhookId === undefined) return differences(rest, delivery);
  const byId = differences(webhookId, delivery.webhookId, "webhookId");
  const other = byId.length > 0 && differences(webhookId, delivery.hookId, "webhookId").length > 0;
  return [...(other ? byId : []), ...differences(rest, delivery)];
}
