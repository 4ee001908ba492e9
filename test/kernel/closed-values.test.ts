/** Fields whose values come from a closed set, in matches. */
import { describe, expect, it } from "vitest";
import type { ClosedFields } from "../../src/kernel/matching.js";
import { closedProblems } from "../../src/kernel/matching.js";

const FIELDS: ClosedFields = {
  operation: { what: "operation", values: ["sendMessageToBusiness", "getWebhook", "getWebhooks", null] },
  kind: { what: "kind", values: ["a", "b"] },
  status: { what: "status", form: "a status from 100 to 599", accepts: (value) => value === 200 },
};
const told = (match: unknown, isLater?: (value: string) => boolean) =>
  closedProblems(FIELDS, match, ["match"], isLater).map(({ path, message }) => `${path}: ${message}`);

describe("a match", () => {
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
  ])("that something can match has no problem: %j", (match) => {
    expect(told(match)).toEqual([]);
  });

  it.each([
    [
      { operation: "getWebhok" },
      ['match.operation: unknown operation "getWebhok": did you mean "getWebhook"?'],
    ],
    [
      { operation: "deleteAll" },
      [
        'match.operation: unknown operation "deleteAll": it must be sendMessageToBusiness, getWebhook, getWebhooks or null',
      ],
    ],
    [{ kind: 5 }, ["match.kind: unknown kind 5: it must be a or b"]],
    [{ kind: null }, ["match.kind: unknown kind null: it must be a or b"]],
    [{ kind: ["a"] }, ["match.kind: unknown kind an array: it must be a or b"]],
    [{ status: 201 }, ["match.status: must be a status from 100 to 599, but is 201"]],
    [{ status: "200" }, ['match.status: must be a status from 100 to 599, but is "200"']],
    [
      { status: { $oneOf: [200, 201, { $not: 202 }] }, kind: { $not: "x" } },
      [
        "match.status.$oneOf[1]: must be a status from 100 to 599, but is 201",
        "match.status.$oneOf[2].$not: must be a status from 100 to 599, but is 202",
        'match.kind.$not: unknown kind "x": did you mean "a"?',
      ],
    ],
  ])("that nothing can match has problems: %j", (match, expected) => {
    expect(told(match)).toEqual(expected);
  });
});

describe("a value that is not known yet", () => {
  it("is not checked, wherever it is", () => {
    const isLater = (value: string) => value.startsWith("$");
    const match = { kind: "${kind}", status: "${status}", operation: { $not: "${x}", $oneOf: ["${y}"] } };
    expect(told(match, isLater)).toEqual([]);
    expect(told({ kind: "c" }, isLater)).toHaveLength(1);
    expect(told({ kind: 5, status: 200, operation: null }, isLater)).toHaveLength(1);
    expect(told({ kind: "${kind}" })).toHaveLength(1);
  });
});

describe("a word that is the beginning of a longer name", () => {
  it.each([
    ["sendMessage", "sendMessageToBusiness"],
    ["sendMesage", "sendMessageToBusiness"],
    ["sendMesages", "sendMessageToBusiness"],
    ["sendMessag", "sendMessageToBusiness"],
    ["getWebhoo", "getWebhook"],
    ["sendMessageTo", "sendMessageToBusiness"],
    ["getW", "getWebhook"],
    ["getWebhooksOfEverybody", undefined],
    ["toBusiness", undefined],
  ])("%s: %s", (operation, meant) => {
    const [problem] = told({ operation });
    expect(/did you mean "(.*)"/.exec(problem ?? "")?.[1]).toBe(meant);
  });
});
