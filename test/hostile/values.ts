/** JSON that nobody sends by accident. */
import fc from "fast-check";

/** Texts that have undone other programs. */
export const ODD_TEXTS = [
  ...["", " ", "__proto__", "constructor", "\u0000", "\ud800", "\u202e", "\r\nX-Injected: yes"],
  ...["NaN", "-0", "١٢٣", "9001 ", "09001", "@.email", "sink:../x", "../../etc/passwd"],
  ...["a".repeat(10_000), "9".repeat(400), "${}", "${request.body}", "${constructor.constructor}"],
  "<script>alert(1)</script>",
  "whatsapp:+15551234567",
  "javascript:alert(1)",
  "https://user:pass@bot.example:99999/",
  "HTTPS://BOT.EXAMPLE/\n",
];

/** Numbers as they stand in JSON text. */
const ODD_NUMBERS = "1e400 -1e400 -0 9007199254740993 1e-400 0.1 -1 123456789012345678901234567890".split(
  " ",
);

/** Stands for a number that JSON.stringify would not write. */
const RAW = /"raw:(-?[0-9.e-]+)"/g;

/** JSON text in which `raw:` texts have become numbers. */
export const hostileText = (value: unknown): string => JSON.stringify(value).replace(RAW, "$1");

const leaf = fc.oneof(
  fc.constantFrom<unknown>(...ODD_TEXTS),
  fc.constantFrom(...ODD_NUMBERS.map((number) => `raw:${number}`)),
  fc.constantFrom<unknown>(null, true, false, 0, 9001, [], {}),
  fc.string({ unit: "binary", maxLength: 20 }),
);

const PROTOTYPE_KEYS = ["__proto__", "constructor", "toString", "hasOwnProperty", "length", "0"];

/** An object with own keys of any name, those of Object.prototype among them. */
function entriesOf(keys: readonly string[], value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const key = fc.constantFrom(...keys, ...PROTOTYPE_KEYS);
  return fc.array(fc.tuple(key, value), { maxLength: 6 }).map((entries) => Object.fromEntries(entries));
}

/** Any JSON built from these keys and from what is odd. */
const hostileValue = (keys: readonly string[]): fc.Arbitrary<unknown> =>
  fc.letrec<{ value: unknown; object: unknown }>((tie) => ({
    object: entriesOf(keys, tie("value")),
    value: fc.oneof({ depthSize: "small" }, leaf, tie("object"), fc.array(tie("value"), { maxLength: 3 })),
  })).value;

/** An object of odd values under these keys, some of which `valid` replaces at random. */
export const hostileBody = (
  keys: readonly string[],
  valid: Readonly<Record<string, unknown>>,
): fc.Arbitrary<unknown> =>
  fc.oneof(
    hostileValue(keys),
    fc.tuple(fc.subarray(Object.keys(valid)), entriesOf(keys, hostileValue(keys))).map(([kept, odd]) => ({
      ...Object.fromEntries(kept.map((key) => [key, valid[key]])),
      ...(odd as object),
    })),
  );
