import { describe, expect, it } from "vitest";
import { customerFor, readableThreadFor, threadFor } from "../../src/service/domain/access.js";
import { ana, customer, thread, worldWith } from "./records.js";
import { refusalOf, view } from "./run.js";

describe("another organization's records", () => {
  it.each([
    ["unknown", "93", "threads.notFound"],
    ["unknown", "99", "threads.notFound"],
    ["forbidden", "93", "threads.notAccessible"],
    ["forbidden", "99", "threads.notFound"],
  ] as const)("with the ids.foreign %s: thread %s gets %s", (foreign, customerThreadId, key) => {
    for (const readAccess of ["user", "organization"] as const) {
      const reader = view({ behaviour: { "ids.foreign": foreign, "threads.readAccess": readAccess } });
      for (const find of [threadFor, readableThreadFor])
        expect(refusalOf(() => find(reader, ana, customerThreadId))).toStrictEqual({
          key,
          scope: { customerThreadId },
        });
    }
  });

  it.each([
    ["unknown", "c2", "profile.notFound"],
    ["unknown", "c9", "profile.notFound"],
    ["forbidden", "c2", "profile.notAccessible"],
    ["forbidden", "c9", "profile.notFound"],
  ] as const)("with the ids.foreign %s: customer %s gets %s", (foreign, customerId, key) => {
    for (const access of ["organization", "user"] as const) {
      const reader = view({ behaviour: { "ids.foreign": foreign, "profile.access": access } });
      expect(refusalOf(() => customerFor(reader, ana, customerId))).toStrictEqual({
        key,
        scope: { customerId },
      });
    }
  });
});

describe("a thread that a caller reads", () => {
  const forAll = view({ behaviour: { "threads.readAccess": "organization" } });
  const refusal = (key: string, customerThreadId: string) => ({ key, scope: { customerThreadId } });

  it("is one that the caller may modify", () => {
    expect(readableThreadFor(view(), ana, "91").id).toBe("91");
    const read = () => readableThreadFor(view(), ana, "92");
    expect(refusalOf(read)).toStrictEqual(refusal("threads.notAccessible", "92"));
  });

  it("is any of the organization where threads.readAccess says so", () => {
    expect(["91", "92"].map((id) => readableThreadFor(forAll, ana, id).id)).toEqual(["91", "92"]);
    const modify = () => threadFor(forAll, ana, "92");
    expect(refusalOf(modify)).toStrictEqual(refusal("threads.notAccessible", "92"));
    const read = () => readableThreadFor(forAll, ana, "93");
    expect(refusalOf(read)).toStrictEqual(refusal("threads.notFound", "93"));
  });
});

describe("a customer whose profile a caller may use", () => {
  const threads = [
    thread({ id: "91" }),
    thread({ id: "92", businessId: "12" }),
    thread({ id: "94", businessId: "12", customerId: "c4" }),
    thread({ id: "95", businessId: "12", customerId: "c5", widgetUserIds: [ana.user.id] }),
    thread({ id: "96", businessId: "12", customerId: "c6", widgetUserIds: ["52"] }),
  ];
  const customers = ["c1", "c3", "c4", "c5", "c6"].map((id) => customer({ id }));
  const world = worldWith({ customers, threads });

  it.each([
    ["c1", "with an accessible thread among theirs", "user", "token", true],
    ["c3", "without a thread", "user", "token", false],
    ["c4", "with a colleague's thread only", "user", "token", false],
    ["c5", "with a thread that the user began", "user", "token", true],
    ["c5", "with a thread that the user began", "user", "business", false],
    ["c6", "with a thread that another user began", "user", "token", false],
    ["c3", "without a thread", "organization", "token", true],
    ["c4", "with a colleague's thread only", "organization", "token", true],
  ] as const)("%s, %s, with the profile.access %s and the widget.threadAccess %s: %s", (...row) => {
    const [customerId, , access, threadAccess, open] = row;
    const behaviour = { "profile.access": access, "widget.threadAccess": threadAccess };
    const read = () => customerFor(view({ world, behaviour }), ana, customerId);
    if (open) expect(read()).toStrictEqual(customer({ id: customerId }));
    else expect(refusalOf(read)).toStrictEqual({ key: "profile.notAccessible", scope: { customerId } });
  });
});
