import { describe, expect, it } from "vitest";
import type { BehaviourValues } from "../../src/service/behaviour/table.js";
import { transferThread, updateThreadStatus } from "../../src/service/domain/threads.js";
import { THREAD_STATUSES } from "../../src/service/world/records.js";
import { ana, business, NOW, thread, user, worldWith } from "./records.js";
import { run } from "./run.js";

describe("a thread's status", () => {
  const move = (
    from: (typeof THREAD_STATUSES)[number],
    status: (typeof THREAD_STATUSES)[number],
    transitions: BehaviourValues["threadStatus.transitions"],
  ) =>
    run(
      updateThreadStatus,
      { caller: ana, customerThreadId: "91", status },
      {
        world: worldWith({ threads: [thread({ id: "91", status: from })] }),
        behaviour: { "threadStatus.transitions": transitions },
      },
    );
  const moved = (from: string, status: (typeof THREAD_STATUSES)[number]) => ({
    result: thread({ id: "91", status }),
    changes: { "threads 91": from === status ? {} : { status } },
  });

  const MOVES = THREAD_STATUSES.flatMap((from) => THREAD_STATUSES.map((to) => [from, to] as const));

  it.each(MOVES)("moves from %s to %s", (from, to) => {
    expect(move(from, to, "any")).toStrictEqual(moved(from, to));
  });

  const LISTED = { waiting: ["replied", "resolved"], replied: ["waiting"] } as const;
  const ALLOWED = ["waiting replied", "waiting resolved", "replied waiting"];

  it.each(MOVES)("moves from %s to %s where threadStatus.transitions lists it, or stays", (from, to) => {
    const allowed = from === to || ALLOWED.includes(`${from} ${to}`);
    const scope = { customerThreadId: "91", from, to };
    expect(
      move(from, to, { ...LISTED, waiting: [...LISTED.waiting], replied: [...LISTED.replied] }),
    ).toStrictEqual(allowed ? moved(from, to) : { refusal: { key: "threadStatus.transitionError", scope } });
  });
});

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
    fields: { businessId: string; employeeUserId?: string; threadId?: string },
    behaviour: Partial<BehaviourValues> = {},
  ) => run(transferThread, { threadId: "91", ...fields }, { world: world(), behaviour });

  it.each([
    ["by the lowest user id of the new business, as a number", undefined, "20"],
    ["by the employee that is named", "100", "100"],
    ["by one of the organization who works elsewhere", "3", "3"],
  ])("is made %s", (_, employeeUserId, expected) => {
    const moved = thread({ id: "91", businessId: "12" });
    const named = employeeUserId === undefined ? {} : { employeeUserId };
    expect(transfer({ businessId: "12", ...named })).toStrictEqual({
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
          employeeUserId: expected,
          participationId: 1,
        },
      ],
      counters: { participations: 1 },
    });
  });

  it.each([
    ["lowest", "12", undefined, "20"],
    ["zero", "12", undefined, "0"],
    ["zero", "12", "100", "100"],
    ["zero", "13", undefined, "0"],
  ] as const)("with the transfers.employee %s to business %s, naming %s, goes to %s", (...row) => {
    const [employee, businessId, employeeUserId, expected] = row;
    const named = employeeUserId === undefined ? {} : { employeeUserId };
    const { events, refusal } = transfer({ businessId, ...named }, { "transfers.employee": employee });
    expect(refusal).toBeUndefined();
    expect(events).toMatchObject([{ newBusinessId: businessId, employeeUserId: expected }]);
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
    const participations = ["12", "11", "12"].flatMap((businessId) =>
      run(transferThread, { threadId: "91", businessId }, { world: held }).events?.map((event) =>
        event.eventType === "transfer" ? event.participationId : undefined,
      ),
    );
    expect(participations).toEqual([1, 2, 3]);
  });

  it.each([
    [
      "an unknown thread",
      { businessId: "12", threadId: "99" },
      "threads.notFound",
      { customerThreadId: "99" },
    ],
    ["an unknown business", { businessId: "77" }, "businesses.notFound", { businessId: "77" }],
    ["another organization", { businessId: "21" }, "transfers.otherOrganization", { businessId: "21" }],
    ["where it is", { businessId: "11" }, "transfers.sameBusiness", { threadId: "91", businessId: "11" }],
    ["where nobody works", { businessId: "13" }, "transfers.noEmployee", { businessId: "13" }],
    [
      "an unknown employee",
      { businessId: "12", employeeUserId: "9" },
      "employees.notFound",
      { userId: "9", organizationId: "1" },
    ],
    [
      "another organization's employee",
      { businessId: "12", employeeUserId: "61" },
      "employees.notFound",
      { userId: "61", organizationId: "1" },
    ],
  ])("is refused: %s", (_, fields, key, scope) => {
    expect(transfer(fields)).toStrictEqual({ refusal: { key, scope } });
  });
});
