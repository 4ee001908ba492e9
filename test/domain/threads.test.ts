import { describe, expect, it } from "vitest";
import type { BehaviourValues } from "../../src/service/behaviour/table.js";
import { transferThread, updateThreadStatus } from "../../src/service/domain/threads.js";
import { THREAD_STATUSES } from "../../src/service/world/records.js";
import { ana, business, NOW, thread, user, worldWith } from "./records.js";
import { run } from "./run.js";

const MOVES = THREAD_STATUSES.flatMap((from) => THREAD_STATUSES.map((to) => [from, to] as const));
const LISTED = { waiting: ["replied", "resolved"], replied: ["waiting"] };

it.each(MOVES)(
  "a thread's status moves from %s to %s, if threadStatus.transitions lists it",
  (from, status) => {
    const move = (transitions: object | "any") =>
      run(
        updateThreadStatus,
        { caller: ana, customerThreadId: "91", status },
        {
          world: worldWith({ threads: [thread({ id: "91", status: from })] }),
          behaviour: {
            "threadStatus.transitions": transitions as BehaviourValues["threadStatus.transitions"],
          },
        },
      );
    const moved = {
      result: thread({ id: "91", status }),
      changes: { "threads 91": from === status ? {} : { status } },
    };
    expect(move("any")).toStrictEqual(moved);
    const isListed =
      from === status ||
      ["waiting replied", "waiting resolved", "replied waiting"].includes(`${from} ${status}`);
    const scope = { customerThreadId: "91", from, to: status };
    const refused = { refusal: { key: "threadStatus.transitionError", scope } };
    expect(move(LISTED)).toStrictEqual(isListed ? moved : refused);
  },
);

describe("a transfer", () => {
  const world = () =>
    worldWith({
      businesses: [
        business({ id: "11" }),
        business({ id: "12", name: "Lyon" }),
        business({ id: "13" }),
        business({ id: "21", organizationId: "2" }),
      ],
      users: [
        user({ id: "100", businessIds: ["12"] }),
        user({ id: "20", businessIds: ["11", "12"] }),
        user({ id: "3", businessIds: ["11"] }),
        user({ id: "30", businessIds: ["12"] }),
        user({ id: "61", organizationId: "2", businessIds: ["21"] }),
      ],
    });
  const transfer = (
    fields: { businessId: string; employeeUserId?: string },
    behaviour: Partial<BehaviourValues> = {},
  ) => run(transferThread, { threadId: "91", ...fields }, { world: world(), behaviour });

  it("is made by the lowest user id of the new business, as a number", () => {
    const moved = thread({ id: "91", businessId: "12" });
    expect(transfer({ businessId: "12" })).toStrictEqual({
      result: moved,
      changes: { "threads 91": { businessId: "12" } },
      events: [
        {
          eventType: "transfer",
          at: NOW,
          organizationId: "1",
          thread: moved,
          previousBusinessId: "11",
          newBusinessId: "12",
          newBusinessName: "Lyon",
          employeeUserId: "20",
          participationId: 1,
        },
      ],
      counters: { participations: 1 },
    });
  });

  it.each([
    ["lowest", { businessId: "12", employeeUserId: "3" }, "3"],
    ["zero", { businessId: "12" }, "0"],
    ["zero", { businessId: "12", employeeUserId: "100" }, "100"],
    ["zero", { businessId: "13" }, "0"],
  ] as const)("with the transfers.employee %s and %j is made by %s", (employee, fields, expected) => {
    const { events } = transfer(fields, { "transfers.employee": employee });
    expect(events).toMatchObject([{ newBusinessId: fields.businessId, employeeUserId: expected }]);
  });

  it.each([
    ["counter", 1, { participations: 1 }],
    ["business", 12, undefined],
  ] as const)("with the transfers.participation %s opens participation %j", (policy, id, counters) => {
    const outcome = transfer({ businessId: "12" }, { "transfers.participation": policy });
    expect(outcome.events).toMatchObject([{ participationId: id }]);
    expect(outcome.counters).toStrictEqual(counters);
  });

  it("opens a new participation each time", () => {
    const held = world();
    const participations = ["12", "11", "12"].flatMap(
      (businessId) => run(transferThread, { threadId: "91", businessId }, { world: held }).events ?? [],
    );
    expect(participations).toMatchObject([1, 2, 3].map((participationId) => ({ participationId })));
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
