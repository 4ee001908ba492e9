import { expect, it } from "vitest";
import { keysOf } from "../../src/kernel/objects.js";
import { REFUSAL_ANSWERS } from "../../src/service/behaviour/answers.js";
import type { RefusalKey } from "../../src/service/domain/refusals.js";
import {
  CONTROL_REFUSALS,
  InvalidInput,
  isControlRefusal,
  isServiceRefusal,
  Refusal,
} from "../../src/service/domain/refusals.js";

const FIXED = [
  "users.notFound",
  "users.lastRepresentative",
  "users.lastInPool",
  "users.deleteSelfError",
  "widget.foreignBusiness",
  "http.unknownPath",
  "http.wrongMethod",
  "http.unknownHost",
  "http.unknownEncoding",
  "limits.bodyError",
  "limits.overloadError",
  "store.unavailable",
] as const;

it("each refusal belongs to one of the two APIs, or to both", () => {
  const service = new Set<RefusalKey>([...FIXED, ...keysOf(REFUSAL_ANSWERS)]);
  const control = new Set<RefusalKey>(keysOf(CONTROL_REFUSALS));
  for (const key of [...service, ...control]) {
    expect([key, isServiceRefusal(key)]).toEqual([key, service.has(key)]);
    expect([key, isControlRefusal(key)]).toEqual([key, control.has(key)]);
  }
});

it("a refusal that is not handled says what it is", () => {
  expect(String(new Refusal("users.notFound"))).toBe("Refusal: users.notFound");
  const problems = [
    { property: "@.url", message: "is missing" },
    { property: "@.text", message: "must be shorter" },
  ];
  expect(String(new InvalidInput(problems))).toBe("InvalidInput: @.url is missing; @.text must be shorter");
});
