import { describe, expect, it } from "vitest";
import { parseJson } from "../../src/kernel/http/body.js";

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

describe("a JSON body", () => {
  it.each(["", "{", "[1,]", '{"a":1,}', "{a:1}", '["a\\"]', "1 2", '["\u0000"]'])(
    "is refused if it is invalid: %j",
    (text) => {
      expect(parseJson(Buffer.from(text))).toEqual({ text, problem: "must be valid JSON" });
    },
  );

  it.each(['\ufeff{"a":[]}', '{"__proto__":[1],"constructor":{}}', "3", nested(200), `{"a":${nested(199)}}`])(
    "is parsed like JSON.parse: %.60j",
    (text) => {
      const plain = text.replace("\ufeff", "");
      expect(parseJson(Buffer.from(text))).toEqual({ text: plain, value: JSON.parse(plain) });
    },
  );

  it("may not be nested deeper", () => {
    expect(parseJson(Buffer.from(nested(201))).problem).toBe("must not be nested deeper than 200 levels");
  });
});
