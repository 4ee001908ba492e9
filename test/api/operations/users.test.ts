import { describe, expect, it } from "vitest";
import { startSimulator } from "../../support/simulator.js";

const DELETE = "POST /api/user/delete-by-email";

describe("delete user by email", () => {
  it("deletes the user, the user's tokens and places in pools, and keeps messages", async () => {
    const { api, control } = await startSimulator();
    const before = (await control("GET /state")).body;
    const answer = await api(DELETE, { email: "David@ACME.example" });
    expect(answer.body).toEqual({ status: "success", deletedUserId: "504", email: "david@acme.example" });
    const after = (await control("GET /state")).body;
    expect(after.users.map((user: { id: string }) => user.id)).not.toContain("504");
    expect(after.tokens.map((token: { id: string }) => token.id)).toEqual(["acme-token", "globex-token"]);
    expect(
      after.businesses.find((business: { id: string }) => business.id === "1002").escalationPool,
    ).toEqual(["502"]);
    expect(after.messages).toEqual(before.messages);
    expect((await api("GET /api/webhooks/", undefined, { token: "acme-readonly" })).status).toBe(401);
  });

  it.each([
    [
      "a user of another organization",
      { email: "grace@globex.example" },
      404,
      { error: "User not found in organization" },
    ],
    [
      "no address at all",
      {},
      400,
      { body: [{ message: "is missing and not optional", property: "@.email" }], headers: [] },
    ],
    [
      "no body at all",
      undefined,
      400,
      { body: [{ message: "is missing and not optional", property: "@.email" }], headers: [] },
    ],
    [
      "the last customer representative",
      { email: "bruno@acme.example" },
      400,
      {
        error:
          "User cannot be deleted as they are the last customer representative in one or more businesses",
      },
    ],
    [
      "the last of an escalation pool",
      { email: "ana@acme.example" },
      400,
      {
        error: "User cannot be deleted as they are the last person in the escalation pool for business 1001",
      },
    ],
  ])("refuses %s and changes nothing", async (_, body, status, expected) => {
    const { api, control } = await startSimulator();
    const before = (await control("GET /state")).body;
    const answer = await api(DELETE, body);
    expect({ status: answer.status, body: answer.body }).toEqual({ status, body: expected });
    expect((await control("GET /state")).body).toEqual(before);
  });

  it("needs the permission, and says so before it looks at the body", async () => {
    const { api } = await startSimulator();
    const answer = await api(DELETE, {}, { token: "acme-readonly" });
    expect([answer.status, answer.body]).toEqual([
      403,
      { error: "The token lacks the permission user:delete" },
    ]);
    expect(answer.headers.get("x-sim-behaviour")).toBe("users.deleteForbidden");
  });
});
