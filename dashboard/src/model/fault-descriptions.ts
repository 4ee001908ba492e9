import { previewValue } from "../lib/format";
import { operationName } from "./outcome";
import type { FaultRule } from "./types";

/** What a rule is called: its preset, or what it does. */
export function ruleName({ preset, then }: FaultRule): string {
  if (preset !== undefined) return preset;
  const parts: string[] = [];
  if (then.status !== undefined) parts.push(`answer ${then.status}`);
  if (then.delayMs !== undefined)
    parts.push(
      typeof then.delayMs === "number"
        ? `delay ${then.delayMs} ms`
        : `delay ${then.delayMs.min}–${then.delayMs.max} ms`,
    );
  if (then.drop !== undefined) parts.push(`drop ${then.drop}`);
  if (then.malformed) parts.push("malformed JSON");
  if (then.duplicate !== undefined) parts.push(`send ${then.duplicate} more`);
  if (then.reorder) parts.push("reorder");
  if (then.tokenExpired) parts.push("token expired");
  if (then.signature !== undefined) parts.push(`${then.signature} signature`);
  if (then.payload !== undefined) parts.push("changed payload");
  if (then.copy) parts.push("a copy first");
  return parts.join(", ") || "rule";
}

/** What a rule asks of a call or delivery: `operation is Send message and body.customerThreadId is 9001`. */
function matchText(match: object, path = ""): string {
  const parts = Object.entries(match).map(([name, value]) => {
    if (name === "operation" && path === "") return `operation is ${operationName(String(value))}`;
    if (name === "$oneOf" && Array.isArray(value))
      return `${path} is ${value.map(previewValue).join(" or ")}`;
    if (name.startsWith("$")) return `${path} ${name.slice(1)} ${previewValue(value)}`;
    const inside = path === "" ? name : `${path}.${name}`;
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? matchText(value, inside)
      : `${inside} is ${previewValue(value)}`;
  });
  return parts.join(" and ");
}

/** The calls or deliveries to which a rule applies: `the next 2 requests`, `each delivery, every 3.`. */
export function ruleScope({ on, match, times, after, every, probability }: FaultRule): string {
  const parts: string[] = [];
  if (match !== undefined) parts.push(`where ${matchText(match)}`);
  if (after) parts.push(`after ${after}`);
  if (every !== undefined && every > 1) parts.push(`every ${every}.`);
  if (probability !== undefined && probability < 1) parts.push(`with probability ${probability}`);
  if (times === undefined || parts.length > 0) {
    if (times !== undefined) parts.push(times === 1 ? "once" : `at most ${times} times`);
    return [`each ${on}`, ...parts].join(", ");
  }
  if (times === 1) return `the next ${on}`;
  return `the next ${times} ${on === "request" ? "requests" : "deliveries"}`;
}
