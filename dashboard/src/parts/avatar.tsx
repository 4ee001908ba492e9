const HUES = [174, 215, 265, 330, 25, 95];

/** `Alan Johnson` is AJ. */
const initials = (name: string): string =>
  name
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => [...word][0])
    .filter((_, at, all) => at === 0 || at === all.length - 1)
    .join("")
    .toUpperCase();

/** The hue of a name: always the same. */
const hue = (name: string): number | undefined =>
  HUES[[...name].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 997, 7) % HUES.length];

/** The initials of a name, in place of a picture. */
export const Avatar = ({ name, large = false }: { name: string; large?: boolean }) => (
  <span class={large ? "avatar large" : "avatar"} style={`--hue: ${hue(name)}`} aria-hidden="true">
    {initials(name)}
  </span>
);
