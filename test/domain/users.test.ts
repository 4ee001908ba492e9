import { describe, expect, it } from "vitest";
import { deleteUserByEmail } from "../../src/service/domain/people.js";
import type { FixtureDocument } from "../../src/service/world/fixture.js";
import { ana, business, message, user, worldWith } from "./records.js";
import { run } from "./run.js";

const remove = (email: string, given: Partial<FixtureDocument>) =>
  run(deleteUserByEmail, { caller: ana, email }, { world: worldWith(given) });
const refused = (key: string, scope: object = {}) => ({ refusal: { key, scope } });

describe("delete by email", () => {
  const bo = user({ id: "52", email: "Bo@one.example", businessIds: ["11"] });
  const namesake = user({ id: "61", organizationId: "2", email: "bo@one.example" });
  const users = [ana.user, bo, namesake];

  it("takes the user's tokens and places in pools along, and keeps messages", () => {
    const given = {
      users,
      tokens: ["t1", "t2"].map((id) => ({ id, userId: "52", permissions: [] })).concat(ana.token as never),
      businesses: [
        business({ id: "11", escalationPool: ["51", "52", "53"] }),
        business({ id: "12", escalationPool: ["52", "51"] }),
        business({ id: "13", escalationPool: ["51"] }),
      ],
      messages: [message({ id: "500", fromCustomer: false, employeeUserId: "52" })],
    };
    expect(remove("bo@one.example", given)).toStrictEqual({
      result: bo,
      changes: {
        "tokens t1": null,
        "tokens t2": null,
        "businesses 11": { escalationPool: ["51", "53"] },
        "businesses 12": { escalationPool: ["51"] },
        "users 52": null,
      },
    });
  });

  it.each(["nobody@one.example", "u61@two.example", "no address", ""])("does not find %j", (email) => {
    const foreign = user({ id: "61", organizationId: "2", email: "u61@two.example" });
    expect(remove(email, { users: [ana.user, foreign] })).toStrictEqual(refused("users.notFound"));
  });

  it.each([
    ["the only user", [], true],
    [
      "the only one who can be contacted",
      [user({ id: "53", businessIds: ["11"], contactable: false })],
      true,
    ],
    ["one of two who can", [user({ id: "53", businessIds: ["11"] })], false],
    ["the only one, others being elsewhere", [user({ id: "53", businessIds: ["12"] })], true],
  ])("of a business: %s", (_, others, last) => {
    expect(remove("bo@one.example", { users: [bo, ...others] })).toStrictEqual(
      last ? refused("users.lastRepresentative") : { result: bo, changes: { "users 52": null } },
    );
  });

  it("looks at every business of the user", () => {
    const both = { ...bo, businessIds: ["11", "12"] };
    expect(remove("bo@one.example", { users: [ana.user, both] })).toStrictEqual(
      refused("users.lastRepresentative"),
    );
    const colleague = user({ id: "53", businessIds: ["12"] });
    expect(remove("bo@one.example", { users: [ana.user, both, colleague] }).result).toStrictEqual(both);
  });

  it("names the lowest business id, as a number, whose pool would be empty", () => {
    const pool = (id: string, ...escalationPool: string[]) => business({ id, escalationPool });
    const businesses = [pool("100", "52"), pool("9", "52", "51"), pool("30", "52"), pool("200", "52")];
    const expected = refused("users.lastInPool", { businessId: "30" });
    expect(remove("bo@one.example", { users, businesses })).toStrictEqual(expected);
    expect(remove("bo@one.example", { users, businesses: businesses.toReversed() })).toStrictEqual(expected);
  });
});
