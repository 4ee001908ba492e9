import { expect, it } from "vitest";
import {
  InvalidInput,
  isControlRefusal,
  isServiceRefusal,
  Refusal,
} from "../../src/service/domain/refusals.js";

it.each([
  ["users.notFound", true, false],
  ["threads.notFound", true, true],
  ["transfers.sameBusiness", false, true],
] as const)(
  "the refusal %s is one of the simulated API: %s, of the control API: %s",
  (key, ofService, ofControl) => {
    expect([isServiceRefusal(key), isControlRefusal(key)]).toEqual([ofService, ofControl]);
  },
);

it("a refusal that is not handled says what it is", () => {
  expect(String(new Refusal("users.notFound"))).toBe("Refusal: users.notFound");
  const problems = [
    { property: "@.url", message: "is missing" },
    { property: "@.text", message: "must be shorter" },
  ];
  expect(String(new InvalidInput(problems))).toBe("InvalidInput: @.url is missing; @.text must be shorter");
});
