import { describe, expect, it } from "vitest";
import type { BehaviourValues } from "../../src/service/behaviour/table.js";
import { transferThread, updateThreadStatus } from "../../src/service/domain/threads.js";
import { THREAD_STATUSES } from "../../src/service/world/records.js";
import { ana, business, thread, user, worldWith } from "./records.js";
import { run } from "./run.js";

type Status = (typeof THREAD_STATUSES)[number];

const MOVES = THREAD_STATUSES.flatMap((from) => THREAD_STATUSES.map((to) => [from, to] as const));
const LISTED: Record<Status, Status[]> = {
  waiting: ["replied", "resolved"],
  replied: ["waiting"],
  resolved: [],
};

it.each(MOVES)(
  "a thread's status moves from %s to %s, if threadStatus.transitions lists it",
  (from, status) => {
    const move = (transitions: BehaviourValues["threadStatus.transitions"]) =>
      run(
        updateThreadStatus,
        { caller: ana, customerThreadId: "91", status },
        {
          world: worldWith({ threads: [thread({ id: "91", status: from })] }),
          behaviour: { "threadStatus.transitions": transitions },
        },
      );
    const changes = { "threads 91": from === status ? {} : { status } };
    const moved = { result: thread({ id: "91", status }), changes };
    expect(move("any")).toStrictEqual(moved);
    const scope = { customerThreadId: "91", from, to: status };
    const refused = { refusal: { key: "threadStatus.transitionError", scope } };
    expect(move(LISTED)).toStrictEqual([from, ...LISTED[from]].includes(status) ? moved : refused);
  },
);

describe("a transfer", () => {
  const records = {
    businesses: [
      ...["11", "12", "13"].map((id) => business({ id })),
      business({ id: "21", organizationId: "2" }),
    ],
    users: [
      user({ id: "100", businessIds: ["12"] }),
      user({ id: "20", businessIds: ["11", "12"] }),
      user({ id: "3", businessIds: ["11"] }),
      user({ id: "61", organizationId: "2", businessIds: ["21"] }),
    ],
  };
  const transfer = (fields: { businessId: string; employeeUserId?: string }) =>
    run(transferThread, { threadId: "91", ...fields }, { world: worldWith(records) });

  it.each([
    [{ businessId: "12" }, "20"],
    [{ businessId: "12", employeeUserId: "3" }, "3"],
  ])("with %j is made by %s", (fields, expected) => {
    const { events } = transfer(fields);
    expect(events).toMatchObject([{ thread: { businessId: fields.businessId }, employeeUserId: expected }]);
  });

  it.each<[fields: Parameters<typeof transfer>[0], key: string, scope: object]>([
    [{ businessId: "99" }, "businesses.notFound", { businessId: "99" }],
    [{ businessId: "21" }, "transfers.otherOrganization", { businessId: "21" }],
    [{ businessId: "11" }, "transfers.sameBusiness", { businessId: "11", threadId: "91" }],
    [{ businessId: "13" }, "transfers.noEmployee", { businessId: "13" }],
    [{ businessId: "12", employeeUserId: "9" }, "employees.notFound", { userId: "9", organizationId: "1" }],
    [{ businessId: "12", employeeUserId: "61" }, "employees.notFound", { userId: "61", organizationId: "1" }],
  ])("%j is refused by %s", (fields, key, scope) => {
    expect(transfer(fields)).toStrictEqual({ refusal: { key, scope } });
  });
});
