import type { FaultRule } from "../model/types";

/** A rule in a few words: its preset, or what it does. */
export function nameOfRule({ preset, then }: FaultRule): string {
  if (preset !== undefined) return preset;
  const words: string[] = [];
  if (then.status !== undefined) words.push(`answer ${then.status}`);
  if (then.delayMs !== undefined)
    words.push(
      typeof then.delayMs === "number"
        ? `delay ${then.delayMs} ms`
        : `delay ${then.delayMs.min}–${then.delayMs.max} ms`,
    );
  if (then.drop !== undefined) words.push(`drop ${then.drop}`);
  if (then.malformed) words.push("broken JSON");
  if (then.duplicate !== undefined) words.push(`send ${then.duplicate} more`);
  if (then.reorder) words.push("reorder");
  if (then.tokenExpired) words.push("token expired");
  if (then.signature !== undefined) words.push(`${then.signature} signature`);
  return words.join(", ") || "rule";
}

/** When a rule fires, in words. */
export function conditionsOf({ match, times, after, every, probability }: FaultRule): string {
  const words: string[] = [];
  if (match !== undefined) words.push(`matching ${JSON.stringify(match)}`);
  if (after) words.push(`after ${after}`);
  if (every !== undefined && every > 1) words.push(`every ${every}.`);
  if (times !== undefined) words.push(`at most ${times} times`);
  if (probability !== undefined && probability < 1) words.push(`with probability ${probability}`);
  return words.join(", ") || "always";
}
