import type { WarningSummary } from "./report.js";

/** Each kind of warning once for each call site, with how often it came. */
export function mergedWarnings(warnings: readonly WarningSummary[]): WarningSummary[] {
  const merged = new Map<string, WarningSummary>();
  for (const warning of warnings) {
    const { code, site, by, count } = warning;
    const key = JSON.stringify([code, site, by]);
    const before = merged.get(key);
    merged.set(key, before === undefined ? warning : { ...before, count: before.count + count });
  }
  return [...merged.values()];
}
