/** Fields whose values come from a closed set, in matches. */
import { expect, it } from "vitest";
import type { ClosedFields } from "../../src/kernel/matching.js";
import { closedProblems } from "../../src/kernel/matching.js";

const FIELDS: ClosedFields = {
  operation: { what: "operation", values: ["sendMessageToBusiness", "getWebhook", "getWebhooks", null] },
  kind: { what: "kind", values: ["a", "b"] },
  status: { what: "status", form: "200 alone", accepts: (value) => value === 200 },
};
const told = (match: unknown, isLater?: (value: string) => boolean) =>
  closedProblems(FIELDS, match, ["match"], isLater).map(({ path, message }) => `${path}: ${message}`);

it.each([
  [{ operation: "getWebhook", kind: "a", status: 200 }],
  [{ operation: null }],
  [{ operation: undefined }],
  [{ other: "x", toString: "x", body: { operation: "none" } }],
  [{ operation: { $regex: "none" }, kind: { $any: "string" }, status: { $gt: 900 } }],
  [{ operation: { $oneOf: ["getWebhook", null] }, kind: { $not: "b" }, status: { $not: { $gt: 1 } } }],
  [{ operation: { $oneOf: "none" } }],
  [{}],
  [null],
  [undefined],
  ["operation"],
  [["getWebhook"]],
])("a match that something can meet has no problem: %j", (match) => {
  expect(told(match)).toEqual([]);
});

const OPERATIONS = "sendMessageToBusiness, getWebhook, getWebhooks or null";

it.each<[match: object, ...problems: string[]]>([
  [{ operation: "deleteAll" }, `operation: unknown operation "deleteAll": it must be ${OPERATIONS}`],
  [{ kind: 5 }, "kind: unknown kind 5: it must be a or b"],
  [{ kind: null }, "kind: unknown kind null: it must be a or b"],
  [{ kind: ["a"] }, "kind: unknown kind an array: it must be a or b"],
  [{ kind: { $not: "x" } }, 'kind.$not: unknown kind "x": did you mean "a"?'],
  [{ status: 201 }, "status: must be 200 alone, but is 201"],
  [{ status: "200" }, 'status: must be 200 alone, but is "200"'],
  [
    { status: { $oneOf: [200, 201, { $not: 202 }] } },
    "status.$oneOf[1]: must be 200 alone, but is 201",
    "status.$oneOf[2].$not: must be 200 alone, but is 202",
  ],
])("a match that nothing can meet has problems: %j", (match, ...problems) => {
  expect(told(match)).toEqual(problems.map((problem) => `match.${problem}`));
});

it("a value that is not known yet is not checked, wherever it is", () => {
  const isLater = (value: string) => value.startsWith("$");
  const match = { kind: "${kind}", status: "${status}", operation: { $not: "${x}", $oneOf: ["${y}"] } };
  expect(told(match, isLater)).toEqual([]);
  expect(told({ kind: "c" }, isLater)).toHaveLength(1);
  expect(told({ kind: 5, status: 200, operation: null }, isLater)).toHaveLength(1);
  expect(told({ kind: "${kind}" })).toHaveLength(1);
});

it.each([
  ["getWebhok", "getWebhook"],
  ["sendMessage", "sendMessageToBusiness"],
  ["sendMesage", "sendMessageToBusiness"],
  ["sendMesages", "sendMessageToBusiness"],
  ["sendMessag", "sendMessageToBusiness"],
  ["getWebhoo", "getWebhook"],
  ["sendMessageTo", "sendMessageToBusiness"],
  ["getW", "getWebhook"],
  ["getWebhooksOfEverybody", undefined],
  ["toBusiness", undefined],
])("a word that is nearly a name or its beginning: %s: %s", (operation, meant) => {
  const [problem] = told({ operation });
  expect(/did you mean "(.*)"/.exec(problem ?? "")?.[1]).toBe(meant);
});
