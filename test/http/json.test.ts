import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson, parseLargeJson } from "../../src/http/json.js";

/** White space that makes any text large without making it another one. */
const PADDING = " ".repeat(1024 * 1024);
const both = async (text: string | Buffer) => {
  const { value, problem } = { value: undefined, ...parseJson(Buffer.from(text)) };
  const large = Buffer.concat([Buffer.from(text), Buffer.from(PADDING)]);
  return {
    small: { value, problem },
    large: { value: undefined, problem: undefined, ...(await parseLargeJson(large, () => {})) },
  };
};
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

describe("a large body", () => {
  it("is parsed like a small one", async () => {
    await fc.assert(
      fc.asyncProperty(fc.json({ maxDepth: 5 }), async (text) => {
        const { small, large } = await both(text);
        expect(large).toEqual(small);
      }),
      { numRuns: 100 },
    );
  });

  it.each([
    "",
    "{",
    "}",
    "[",
    "[1,]",
    "[,1]",
    "[1 2]",
    "[1]]",
    '{"a":1,}',
    '{"a" 1}',
    '{"a":}',
    "{a:1}",
    '{"a":[1,2}',
    '{"a":{"b":[}]}',
    '"text',
    '["a\\"]',
    '{"a":"\\u12"}',
    "nul",
    "[nul]",
    "1 2",
    '{"a":1}{"b":2}',
    '["\u0000"]',
  ])("that is no JSON is refused: %j", async (text) => {
    const { small, large } = await both(text);
    expect(large).toEqual(small);
    expect(large.problem).toBe("must be valid JSON");
  });

  it.each([
    ' { "a" : [ 1 , "x]" , { "b" : "}" } ] , "a" : 2 } ',
    '\ufeff{"a":[]}',
    '{"__proto__":[1],"constructor":{}}',
    "3",
    '"é\\n\\""',
    '[true,false,null,-1.5e3,"",[],{}]',
    nested(200),
    `{"a":${nested(199)}}`,
  ])("is read as it stands: %.60j", async (text) => {
    const { small, large } = await both(text);
    expect(small.problem).toBeUndefined();
    expect(large).toEqual(small);
  });

  it.each([nested(201), `{"a":${nested(200)}}`, `{"a":[${nested(199)}]}`])(
    "may not be deeper: %.10s",
    async (text) => {
      const { small, large } = await both(text);
      expect(large).toEqual(small);
      expect(large.problem).toBe("must not be nested deeper than 200 levels");
    },
  );
});
