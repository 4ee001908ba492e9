import { describe, expect, it } from "vitest";
import {
  customerFor,
  organizationOf,
  readableThreadFor,
  threadFor,
  threadWithId,
} from "../../src/domain/access.js";
import { ana, thread } from "./records.js";
import { refusalOf, view } from "./run.js";

const NOBODY = { ...ana, user: { ...ana.user, businessIds: [] } };

describe("a thread that a caller names", () => {
  it("is one of a business that the caller works for", () => {
    expect(threadFor(view(), ana, "91")).toStrictEqual(thread({ id: "91" }));
    const both = { ...ana, user: { ...ana.user, businessIds: ["11", "12"] } };
    expect(threadFor(view(), both, "92").businessId).toBe("12");
  });

  it.each([
    ["an unknown one", ana, "99", "threads.notFound"],
    ["one of another organization", ana, "93", "threads.notFound"],
    ["one of a colleague's business", ana, "92", "threads.notAccessible"],
    ["one of a business that the caller does not work for", NOBODY, "91", "threads.notAccessible"],
    ["another organization's, whatever the caller works for", NOBODY, "93", "threads.notFound"],
  ])("is not %s", (_, caller, customerThreadId, key) => {
    expect(refusalOf(() => threadFor(view(), caller, customerThreadId))).toStrictEqual({
      key,
      scope: { customerThreadId },
    });
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

describe("a customer that a caller names", () => {
  it("is one of the caller's organization", () => {
    expect(customerFor(view(), ana, "c1").id).toBe("c1");
  });

  it.each(["c2", "c9"])("is not %s", (customerId) => {
    expect(refusalOf(() => customerFor(view(), ana, customerId))).toStrictEqual({
      key: "profile.notFound",
      scope: { customerId },
    });
  });
});

describe("a thread whoever asks", () => {
  it("is any that is there", () => {
    expect(["91", "92", "93"].map((id) => threadWithId(view(), id).id)).toEqual(["91", "92", "93"]);
    expect(refusalOf(() => threadWithId(view(), "99"))).toStrictEqual({
      key: "threads.notFound",
      scope: { customerThreadId: "99" },
    });
  });

  it("belongs to the organization of its business", () => {
    expect(organizationOf(view(), thread({ id: "1" }))).toBe("1");
    expect(organizationOf(view(), thread({ id: "1", businessId: "21" }))).toBe("2");
  });
});
