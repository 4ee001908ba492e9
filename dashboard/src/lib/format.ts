/** ISO 8601 in UTC, as all times are shown. */
export const isoTime = (ms: number): string => {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? String(ms) : date.toISOString();
};

/** `09:00:00` */
export const timeOfDay = (ms: number): string => isoTime(ms).slice(11, 19);
/** `2026-01-01` */
export const dayOf = (ms: number): string => isoTime(ms).slice(0, 10);

const DAY = new Intl.DateTimeFormat("en-GB", {
  weekday: "short",
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});
/** `Thu, 1 Jan 2026` */
export const longDay = (ms: number): string => DAY.format(ms);

/** `09:00` on the same day, `17 Nov` on another, `Nov 2025` in another year: names need the room. */
export function shortTime(ms: number, now: number): string {
  if (dayOf(ms) === dayOf(now)) return timeOfDay(ms).slice(0, 5);
  const [day, today] = [longDay(ms), longDay(now)];
  return day.slice(-4) === today.slice(-4) ? day.slice(5, -5) : day.slice(-8);
}

/** Real milliseconds: `18 ms`, `1.2 s`. */
export function shortMs(ms: number): string {
  if (ms < 10) return `${Math.round(ms * 10) / 10} ms`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return `${Math.round(ms / 100) / 10} s`;
}

/** How long something still takes: `23 h 12 min`, `45 s`. */
export function longMs(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  // Up to two days are given in hours, as the durations of windows are.
  const days = seconds > 172_800 ? Math.floor(seconds / 86_400) : 0;
  const parts: [number, string][] = [
    [days, "d"],
    [Math.floor((seconds - days * 86_400) / 3_600), "h"],
    [Math.floor((seconds % 3_600) / 60), "min"],
    [seconds % 60, "s"],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return "0 s";
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(" ");
}

/** How long something took: `18 ms`, `1.2 s`, `8 min`. */
export const tookMs = (ms: number): string => (ms < 60_000 ? shortMs(ms) : longMs(ms));

export const plural = (count: number, one: string, more = `${one}s`): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : more}`;

/** A value on one line: a text without quotes, everything else as JSON. */
export const previewValue = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value);

export const pretty = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
