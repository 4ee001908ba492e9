/** Amounts of memory in words, such as `512MiB`. */
const UNITS = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const;

/** The form of a size that options take. */
export const SIZE = { pattern: "^[1-9]\\d{0,5}(MiB|GiB)$", "x-form": "a size such as 512MiB or 2GiB" };

const FORM = new RegExp(SIZE.pattern);

/** The bytes of a size in the form of `SIZE`; NaN for other texts. */
export function bytesOfSize(text: string): number {
  const unit = FORM.exec(text)?.[1];
  return unit === undefined ? Number.NaN : Number.parseInt(text, 10) * UNITS[unit as "MiB" | "GiB"];
}

/** A number of bytes as a size, in the largest unit that leaves a whole number or one decimal place. */
export function sizeText(bytes: number): string {
  const unit = bytes >= UNITS.GiB ? "GiB" : bytes >= UNITS.MiB ? "MiB" : "KiB";
  return `${Math.round((bytes / UNITS[unit]) * 10) / 10} ${unit}`;
}
