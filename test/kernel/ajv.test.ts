import { describe, expect, it } from "vitest";
import { FORMATS, patternOf } from "../../src/kernel/schema.js";
import { createAjv } from "../../src/kernel/schema-problems.js";

const E164 = ["+15", "+123456789012345"];
const HTTP = ["http://a", "https://bot.example/hook?x=1#y", "HTTPS://BOT:8443", "http://a.", "http://.a"];
const NO_HTTP = ["", "bot", "ftp://a", "https://", "https://a b", " https://a", "https://a ", "x https://a"];
/** Addresses that no URL parser accepts, and hosts that are only dots: a pattern cannot see either. */
const UNPARSABLE = ["http://a:x", "http://.", "http://../", "https://...:8443/a"];
const ADDRESSES = ["a@b.cd", "ana.martin+x@shop.example", "ana@shop.co.uk", "a@b"];

const ROWS: [format: string, isTaken: boolean, texts: string[]][] = [
  ["email", true, [...ADDRESSES, "a@b.c1", "a@1.2.3", "o'neil@x-y.example"]],
  ["email", false, ["", "a", "@b.cd", "a@", "a@.cd", "a@b.", "a@b..cd", "a@b@c.de", "i d@x.example"]],
  ["email", false, ["a@b.c d", "a@-b.cd", "a@b-.cd", "a@b_c.de", "a@b.cd\n1", " a@b.cd", "a@b c.de"]],
  ["stored-email", true, [...ADDRESSES, "i d@x.example", "a@b c.de", "a@b@c.de"]],
  ["stored-email", false, ["", "a", "@b.cd", "@a@b.cd", "a@", "a@b.", "a@-b.c1"]],
  ["e164", true, E164],
  ["e164", false, ["", "+1", "+05", "15", "+1234567890123456", "++15", "x:+15", "+15 ", "+1a", "+1 5"]],
  ["url", true, HTTP],
  ["url", false, NO_HTTP],
  ["url", false, UNPARSABLE],
  ["webhook-url", true, [...HTTP, "sink:demo", "sink:a.B-9_"]],
  ["webhook-url", false, [...NO_HTTP, "sink:", "sink:a b", "sink:a/b", "x sink:demo", "Sink:demo"]],
  ["webhook-url", false, UNPARSABLE],
  ["duration", true, ["0ms", "90s", "5m", "24h", "2d", "1.25h", "10.5s"]],
  ["duration", false, ["", "h", "24", "-1h", "1 h", "1w", "1H", ".5h", "1.h", "1h30m", "1e3s", "x1h", "1hx"]],
  ["date-time", true, ["2026-01-01T09:00:00Z", "2026-01-01T09:00", "2026-12-31T23:59:59.999+02:00"]],
  ["date-time", true, ["1970-01-01T00:00Z", "9999-12-31T23:59:59.999Z"]],
  ["date-time", false, ["2026-01-01", "2026-13-01T09:00:00Z", "Thu, 01 Jan 2026 09:00:00 GMT"]],
  ["date-time", false, ["1969-12-31T23:59:59Z", "1970-01-01T00:00+00:01", "9999-12-31T23:59:59.999-01:00"]],
];

describe("a format", () => {
  it.each(ROWS)("%s accepts (%s) %j, and so does its published pattern", (format, isTaken, texts) => {
    const validate = createAjv().compile({ type: "string", format });
    expect(texts.filter((text) => validate(text) !== isTaken)).toEqual([]);
    const pattern = patternOf(format);
    if (pattern === undefined || texts === UNPARSABLE) return;
    expect(texts.filter((text) => new RegExp(pattern, "u").test(text) !== isTaken)).toEqual([]);
  });

  it("is in the table, and is published as a pattern if validators do not know it", () => {
    expect(new Set(ROWS.map(([format]) => format))).toEqual(new Set(Object.keys(FORMATS)));
    const published = [...Object.keys(FORMATS), "toString"].filter((format) => patternOf(format));
    expect(published).toEqual(["e164", "url", "webhook-url", "duration"]);
  });
});

it.each(["x-unheard-of", "format"])("a validator cannot be compiled from an unknown %s", (keyword) => {
  expect(() => createAjv().compile({ type: "string", [keyword]: "unheard-of" })).toThrow("unheard-of");
});

it("a validator takes schemas of several types, and does not check them, which takes time", () => {
  expect(createAjv().compile({ type: ["string", "integer"], title: 5 })).toBeInstanceOf(Function);
});
