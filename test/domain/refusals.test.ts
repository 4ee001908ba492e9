import { expect, it } from "vitest";
import { keysOf } from "../../src/kernel/objects.js";
import { REFUSAL_ANSWERS } from "../../src/service/behaviour/answers.js";
import type { ControlRefusalKey, RefusalKey } from "../../src/service/domain/refusals.js";
import {
  CONTROL_REFUSALS,
  InvalidInput,
  isControlRefusal,
  isServiceRefusal,
  Refusal,
} from "../../src/service/domain/refusals.js";

const DOCUMENTED = [
  "users.notFound",
  "users.lastRepresentative",
  "users.lastInPool",
  "widget.foreignBusiness",
] as const;

const CONTROL: [key: ControlRefusalKey, code: string, message: string][] = [
  ["threads.notFound", "not-found", 'there is no thread "${customerThreadId}"'],
  ["businesses.notFound", "not-found", 'there is no business "${businessId}"'],
  ["employees.notFound", "not-found", 'there is no user "${userId}" in the thread\'s organization'],
  ["employees.noAccess", "conflict", 'user "${userId}" may not access thread "${threadId}"'],
  ["transfers.sameBusiness", "conflict", 'the thread already belongs to business "${businessId}"'],
  ["transfers.otherOrganization", "conflict", 'business "${businessId}" belongs to another organization'],
  ["transfers.noEmployee", "conflict", 'business "${businessId}" has no user who could take the thread'],
  ["windows.noWindow", "conflict", "a thread on ${channel} has no messaging window to close"],
  ["templates.unknown", "not-found", 'there is no template "${contentSid}" for thread "${customerThreadId}"'],
  [
    "window.closedError",
    "conflict",
    "the messaging window is closed: only templates may be sent (and internal text, unless window.internalMessages is bound)",
  ],
  ["events.noThread", "conflict", "no thread can provide the missing fields"],
];

it.each(CONTROL)("the control API refuses by %s: %s", (key, code, message) => {
  expect(CONTROL_REFUSALS[key]).toMatchObject({ code, message });
});

it("each refusal belongs to one of the two APIs, or to both", () => {
  const service = new Set<RefusalKey>([...DOCUMENTED, ...keysOf(REFUSAL_ANSWERS)]);
  const control = new Set<RefusalKey>(CONTROL.map(([key]) => key));
  for (const key of [...service, ...control]) {
    expect([key, isServiceRefusal(key), isControlRefusal(key)]).toEqual([
      key,
      service.has(key),
      control.has(key),
    ]);
  }
  expect(Object.keys(CONTROL_REFUSALS).sort()).toEqual([...control].sort());
});

it("a refusal that is not handled says what it is", () => {
  expect(String(new Refusal("users.notFound"))).toBe("Refusal: users.notFound");
  const problems = [
    { property: "@.url", message: "is missing" },
    { property: "@.text", message: "must be shorter" },
  ];
  expect(String(new InvalidInput(problems))).toBe("InvalidInput: @.url is missing; @.text must be shorter");
});
