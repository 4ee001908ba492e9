import { expect, it } from "vitest";
import { InvalidInput, Refusal } from "../../src/domain/refusal.js";

it("a refusal that nobody answers says what it is", () => {
  expect(String(new Refusal("users.notFound"))).toBe("Refusal: users.notFound");
  const problems = [
    { property: "@.url", message: "is missing" },
    { property: "@.text", message: "must be shorter" },
  ];
  expect(String(new InvalidInput(problems))).toBe("InvalidInput: @.url is missing; @.text must be shorter");
});
