import { expect, it } from "vitest";
import { NumberIn, writtenBody } from "../../src/scenarios/recording/references.js";

it.each([
  [
    { a: 1, b: "$${x}" },
    { a: 1, b: "$${x}" },
  ],
  [{ id: new NumberIn("${a.b}") }, '{"id":${a.b}}'],
  [[new NumberIn("${a}"), "x"], '[${a},"x"]'],
  [
    { id: new NumberIn("${a}"), text: 'a ${b} "c" $${d} ${' },
    '{"id":${a},"text":"a ${b} \\"c\\" \\u0024{d} \\u0024{"}',
  ],
])("%j is written as %j", (value, written) => {
  expect(writtenBody(value)).toEqual(written);
});
