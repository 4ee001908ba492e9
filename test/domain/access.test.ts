import { describe, expect, it } from "vitest";
import { customerFor } from "../../src/service/domain/access.js";
import type { Transaction } from "../../src/service/domain/transaction.js";
import { ana, customer, thread, worldWith } from "./records.js";
import { run } from "./run.js";

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
    const read = (tx: Transaction, id: string) => customerFor(tx, ana, id);
    expect(run(read, customerId, { world, behaviour })).toStrictEqual(
      open
        ? { result: customer({ id: customerId }) }
        : { refusal: { key: "profile.notAccessible", scope: { customerId } } },
    );
  });
});
