import { expect } from "vitest";
import type { Caller } from "../../support/simulator.js";
import type { Proofs } from "../row.js";
import type { CALLS } from "../rows/calls.js";
import {
  DELETE_USER,
  DETAILS,
  HOOKS,
  invalidProperties,
  PROFILE,
  records,
  refused,
  SEND,
  TEMPLATES,
  UPDATE_PROFILE,
} from "../support.js";

const profile = async ({ api }: Caller) => (await api(PROFILE)).body;
const remove = ({ api }: Caller, email: string) => api(DELETE_USER, { email });
const userIds = async (s: Caller): Promise<string[]> =>
  (await records(s, "users")).map(({ id }: { id: string }) => id);

const REPRESENTATIVE =
  "User cannot be deleted as they are the last customer representative in one or more businesses";
const POOL = "User cannot be deleted as they are the last person in the escalation pool for business";

export const calls: Proofs<typeof CALLS> = {
  "calls.headers": "auth.contentType",
  "calls.jsonRequests": async (s) => {
    expect(invalidProperties(await s.api(SEND, "text=Hi&customerThreadId=9001"))).toEqual(["@"]);
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const answer = await s.api(SEND, "text=Hi", { headers });
    expect([answer.status, answer.body.headers.length]).toEqual([400, 1]);
  },
  "calls.jsonAnswers": async ({ api }) => {
    for (const call of [PROFILE, DETAILS, TEMPLATES, `GET ${HOOKS}`, "GET /none", `GET ${HOOKS}none`])
      expect((await api(call)).headers.get("content-type")).toMatch(/^application\/json/);
  },
  "calls.otherFields": async (s) => {
    expect((await s.api(UPDATE_PROFILE, { company: "Initrode", nickname: "A" })).status).toBe(200);
  },
  "calls.nullFields": async (s) => {
    await refused(UPDATE_PROFILE, "@.company", { company: null })(s);
    const left = await s.api("POST /graphql", { query: "get-hook-query", variables: { hookId: null } });
    expect(left.body.data.hook).toHaveLength(1);
  },
  "calls.repeated": async (s) => {
    const { body } = await s.api(`${DETAILS}&customerThreadId=9003`);
    expect(body.customerChannel).toBe("SMS");
  },
  "calls.slash": async (s) => {
    expect((await s.api("GET /api/webhooks")).body).toEqual((await s.api(`GET ${HOOKS}`)).body);
  },
  "calls.otherMethods": async (s) => {
    expect((await s.api(`DELETE ${HOOKS}`)).status).toBe(405);
  },
  "calls.browsers": async (s) => {
    const { headers } = await s.api(DETAILS, undefined, { headers: { origin: "http://localhost:1" } });
    expect(headers.get("access-control-allow-origin")).toBeNull();
  },
  "getProfile.path": async ({ api }) => {
    expect((await api("GET /api/customers/cust_002/profile")).body.id).toBe("cust_002");
    expect((await api("GET /api/customers/none/profile")).status).toBe(404);
    expect((await api("POST /api/customers/cust_002/profile", {})).status).toBe(405);
  },
  "getProfile.id": "getProfile.path",
  "getProfile.object": async (s) => {
    const fields =
      "id type editable pictureHref displayName emailAddress phoneNumber firstName lastName company channel customerData lastSurveys";
    expect(Object.keys(await profile(s))).toEqual(fields.split(" "));
  },
  "updateProfile.path": "updateProfile.supplied",
  "updateProfile.optional": async (s) => {
    const all = { firstName: "A", lastName: "B", company: "C" };
    for (const body of [{}, { firstName: "X" }, { lastName: "Y" }, { company: "Z" }, all])
      expect((await s.api(UPDATE_PROFILE, body)).status).toBe(200);
    expect(await profile(s)).toMatchObject(all);
  },
  "updateProfile.strings": async (s) => {
    for (const [field, value] of Object.entries({ firstName: 1, lastName: true, company: [] }))
      await refused(UPDATE_PROFILE, `@.${field}`, { [field]: value })(s);
  },
  "updateProfile.supplied": async (s) => {
    const before = await profile(s);
    await s.api(UPDATE_PROFILE, { lastName: "Other", displayName: "Ignored", type: "ignored" });
    expect(await profile(s)).toEqual({ ...before, lastName: "Other" });
  },
  "updateProfile.emptyText": async (s) => {
    const before = await profile(s);
    await s.api(UPDATE_PROFILE, { firstName: "" });
    expect(await profile(s)).toEqual({ ...before, firstName: "" });
  },
  "deleteUser.path": "deleteUser.success",
  "deleteUser.required": "deleteErrors.missing",
  "deleteUser.string": refused(DELETE_USER, "@.email", { email: 5 }),
  "deleteUser.success": async (s) => {
    const { status, body } = await remove(s, "chloe@acme.example");
    expect(status).toBe(200);
    expect(body).toEqual({ status: "success", deletedUserId: "503", email: "chloe@acme.example" });
    expect(await userIds(s)).toEqual(["501", "502", "504", "601", "602"]);
  },
  "deleteUser.types": "deleteUser.success",
  "deleteUser.organization": "auth.users",
  "deleteUser.permission": async (s) => {
    const body = { email: "chloe@acme.example" };
    expect((await s.api(DELETE_USER, body, { token: "acme-no-delete" })).status).toBe(403);
    expect(await userIds(s)).toContain("503");
    await s.control("PATCH /data/tokens/acme-no-delete", { permissions: ["user:delete"] });
    expect((await s.api(DELETE_USER, body, { token: "acme-no-delete" })).status).toBe(200);
  },
  "deleteUser.representative": async (s) => {
    for (const businessIds of [undefined, ["1001", "1003"], ["1001", "1002"]]) {
      if (businessIds !== undefined) await s.control("PATCH /data/users/503", { businessIds });
      const { status, body } = await remove(s, "bruno@acme.example");
      expect([status, body]).toEqual([400, { error: REPRESENTATIVE }]);
    }
    expect(await userIds(s)).toContain("502");
  },
  "deleteUser.notLastRepresentative": async (s) => {
    expect((await remove(s, "chloe@acme.example")).status).toBe(200);
    await s.control("PATCH /data/users/502", { contactable: false });
    expect((await remove(s, "david@acme.example")).status).toBe(200);
    expect(await userIds(s)).toEqual(["501", "502", "601", "602"]);
  },
  "deleteUser.pool": async (s) => {
    for (const id of ["1001", "1003"]) {
      await s.control("PATCH /data/businesses/1001", { escalationPool: id === "1001" ? ["501"] : [] });
      await s.control("PATCH /data/businesses/1003", { escalationPool: id === "1003" ? ["501"] : [] });
      const { status, body } = await remove(s, "ana@acme.example");
      expect([status, body]).toEqual([400, { error: `${POOL} ${id}` }]);
    }
    expect(await userIds(s)).toContain("501");
  },
  "deleteUser.notLastInPool": async (s) => {
    await s.control("PATCH /data/businesses/1001", { escalationPool: ["501", "503"] });
    expect((await remove(s, "ana@acme.example")).status).toBe(200);
    expect(await userIds(s)).not.toContain("501");
  },
  "deleteUser.spelling": async (s) => {
    expect((await remove(s, "CHLOE@acme.example")).body.email).toBe("chloe@acme.example");
  },
  "deleteUser.self": async (s) => {
    await s.control("PATCH /data/businesses/1001", { escalationPool: [] });
    expect((await remove(s, "ana@acme.example")).status).toBe(200);
  },
};
