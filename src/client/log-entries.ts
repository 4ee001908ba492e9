/** What the entries of the logs refer to, and what their answers say. */
import type { DeliveryRecord, RequestRecord } from "./types.js";

/** A built-in receiver. */
export const SINK = "sink:";

/** Whether a webhook or a delivery goes to a system under test, and not to a built-in receiver. */
export const isOutside = ({ url }: { readonly url: string }): boolean => !url.startsWith(SINK);

export const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;

/** What a delivery reports, whatever its format. */
export const payloadOf = ({ legacy, body }: DeliveryRecord): Readonly<Record<string, unknown>> =>
  (legacy ? body : body.data) ?? {};

/** The message that a delivery reports; null for a transfer. */
export const messageOfDelivery = (delivery: DeliveryRecord): string | null =>
  delivery.eventType === "transfer" ? null : String(payloadOf(delivery).messageId);

/** Whether a delivery calls for an answer from an external system under test: the customer wrote. */
export const asksBot = (delivery: DeliveryRecord): boolean =>
  delivery.eventType === "message" && isOutside(delivery) && payloadOf(delivery).fromCustomer === true;

const textIn = (value: unknown, name: string): string | undefined => {
  const text = field(value, name);
  return typeof text === "string" ? text : undefined;
};

/** The problems of a validation answer, in words; empty for any other answer. */
function problemsIn(response: unknown, part: string): string[] {
  const list = field(response, part);
  if (!Array.isArray(list)) return [];
  return list.map((one) => `${textIn(one, "property") ?? ""} ${textIn(one, "message") ?? ""}`.trim());
}

/** The reason in the answer to a refused call; empty if it gives none. */
export function refusalOf({ response }: Pick<RequestRecord, "response">): string {
  if (response === null) return "";
  const errors = field(response, "errors");
  const [first] = Array.isArray(errors) ? errors : [];
  const problems = ["body", "headers"].flatMap((part) => problemsIn(response, part)).join("; ");
  return (
    textIn(response, "error") ??
    textIn(response, "developerMessage") ??
    textIn(first, "message") ??
    (problems || shortText(response))
  );
}

const MAX_SHOWN = 300;

/** A value as text, truncated if it is long. */
function shortText(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

const ENTITIES: Record<string, string> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&", nbsp: " " };

/** What a receiver reported about its failure; of the HTML page of a framework the first line that is shown. */
export function bodyText(body: string): string {
  try {
    return refusalOf({ response: JSON.parse(body) });
  } catch {
    const lineOf = (text: string) => text.split("\n").find((one) => one.trim() !== "") ?? "";
    if (!/^\s*<(!doctype|html)/i.test(body)) return shortText(lineOf(body));
    const shown = lineOf(body.replace(/<(title|style|script)\b.*?<\/\1>|<[^>]*>/gis, "\n"));
    return shortText(shown.replace(/&(#?\w+);/g, (sign, name) => ENTITIES[name] ?? sign).trim());
  }
}
