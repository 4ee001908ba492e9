import { describe, expect, it } from "vitest";
import { FORMATS, patternOf } from "../../src/kernel/schema.js";
import { createAjv } from "../../src/kernel/schema-problems.js";

const E164 = ["+15", "+123456789012345"];
const HTTP = ["http://a", "https://bot.example/hook?x=1#y", "HTTPS://BOT.EXAMPLE:8443"];
const NO_HTTP = [
  "",
  "bot.example",
  "ftp://a",
  "https://",
  "https://a b",
  " https://a",
  "https://a ",
  "x https://a",
  "http://a:x",
];
const ADDRESSES = ["a@b.cd", "ana.martin+x@shop.example"];

/** Texts that each format accepts, and texts that it refuses. */
const TEXTS: Record<string, [taken: string[], refused: string[]]> = {
  email: [
    [...ADDRESSES, "ana@shop.co.uk", "a@b.c1", "a@1.2.3", "a@b", "o'neil@x-y.example"],
    [
      "",
      "a",
      "@b.cd",
      "a@",
      "a@.cd",
      "a@b.",
      "a@b..cd",
      "a@b@c.de",
      "i d@x.example",
      "a@b c.de",
      "a@b.c d",
      "a@-b.cd",
      "a@b-.cd",
      "a@b_c.de",
      "a@b.cd\n1",
      " a@b.cd",
    ],
  ],
  "stored-email": [
    [...ADDRESSES, "ana@shop.co.uk", "a@b", "i d@x.example", "a@b c.de", "a@b@c.de"],
    ["", "a", "@b.cd", "@a@b.cd", "a@", "a@b.", "a@-b.c1"],
  ],
  e164: [E164, ["", "+1", "+05", "15", "+1234567890123456", "++15", "whatsapp:+15", "+15 ", "+1a", "+1 5"]],
  url: [HTTP, NO_HTTP],
  "webhook-url": [
    [...HTTP, "sink:demo", "sink:a.B-9_"],
    [...NO_HTTP, "sink:", "sink:a b", "sink:a/b", "x sink:demo", "Sink:demo"],
  ],
  duration: [
    ["0ms", "90s", "5m", "24h", "2d", "1.25h", "10.5s"],
    ["", "h", "24", "-1h", "1 h", "1w", "1H", ".5h", "1.h", "1h30m", "x1h", "1hx"],
  ],
  "date-time": [
    [
      "2026-01-01T09:00:00Z",
      "2026-01-01T09:00",
      "2026-12-31T23:59:59.999+02:00",
      "1970-01-01T00:00Z",
      "9999-12-31T23:59:59.999Z",
    ],
    [
      "",
      "2026-01-01",
      "2026-01-01T",
      "2026-13-01T09:00:00Z",
      "26-01-01T09:00:00Z",
      "x2026-01-01T09:00:00Z",
      "+002026-01-01T09:00:00Z",
      "Thu, 01 Jan 2026 09:00:00 GMT",
      "2026-1-01T09:00:00Z",
      "2026-01-1T09:00:00Z",
      "1969-12-31T23:59:59.999Z",
      "1970-01-01T00:00+00:01",
      "9999-12-31T23:59:59.999-01:00",
    ],
  ],
};

describe.each(Object.keys(FORMATS))("the format %s", (format) => {
  const [taken, refused] = TEXTS[format] ?? [[], []];
  const validate = createAjv().compile({ type: "string", format });

  it.each(taken)("accepts %j", (text) => {
    expect(validate(text)).toBe(true);
  });

  it.each(refused)("refuses %j", (text) => {
    expect(validate(text)).toBe(false);
  });
});

it.each(["url", "webhook-url"])("the format %s refuses hosts that are only dots", (format) => {
  const validate = createAjv().compile({ type: "string", format });
  const hosts = ["http://.", "http://../", "https://...:8443/a", "http://a.", "http://.a"];
  expect(hosts.filter((url) => validate(url))).toEqual(["http://a.", "http://.a"]);
});

describe("the published pattern", () => {
  it.each(["e164", "url", "webhook-url", "duration"])("of %s accepts what the format accepts", (format) => {
    const [taken, refused] = TEXTS[format] ?? [[], []];
    const pattern = new RegExp(patternOf(format) ?? "^$", "u");
    expect(taken.filter((text) => !pattern.test(text))).toEqual([]);
    // A pattern cannot check whether an address can be parsed.
    const passing = refused.filter((text) => pattern.test(text));
    expect(passing).toEqual(format.endsWith("url") ? ["http://a:x"] : []);
  });

  it("does not exist for standard formats", () => {
    expect([patternOf("email"), patternOf("date-time"), patternOf("toString")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe("a validator", () => {
  it.each([
    ["more than one type", { type: ["string", "integer"] }],
    [
      "branches that name properties of their parent",
      { type: "object", properties: { a: {}, b: {} }, anyOf: [{ required: ["a"] }, { required: ["b"] }] },
    ],
    ["a schema with an invalid title, unchecked", { title: 5 }],
    ["keywords for other readers", { "x-ref": "users", "x-id": true, "x-form": "a", example: 1 }],
  ])("accepts %s", (_, schema) => {
    expect(createAjv().compile(schema)).toBeInstanceOf(Function);
  });

  it.each([
    ["keyword", { type: "string", "x-unheard-of": true }],
    ["format", { type: "string", format: "unheard-of" }],
  ])("cannot be compiled from an unknown %s", (_, schema) => {
    expect(() => createAjv().compile(schema)).toThrow("unheard-of");
  });
});
