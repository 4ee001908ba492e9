import { describe, expect, it } from "vitest";
import { RouteTable } from "../../src/kernel/http/endpoint.js";

const ROUTES = [
  "GET /",
  "GET /api/webhooks/",
  "POST /api/webhooks/",
  "GET /api/webhooks/:webHookId",
  "POST /api/webhooks/:webHookId/update",
  "GET /api/customers/:customerId/profile",
  "POST /api/user/delete-by-email",
  "ANY /sinks/:name",
  "GET /data/:collection/:id",
  "GET /data/threads/newest",
  "DELETE /data/:other/:key/hard",
  "POST /data/threads/:threadId/close",
];

function table(): RouteTable<string> {
  const routes = new RouteTable<string>();
  for (const route of ROUTES) {
    const [method, pattern] = route.split(" ") as [string, string];
    routes.add(method, pattern, route);
  }
  return routes;
}

describe("a route table", () => {
  it.each([
    ["GET", "/", "GET /", {}],
    ["GET", "", "GET /", {}],
    ["GET", "/api/webhooks/", "GET /api/webhooks/", {}],
    ["GET", "/api/webhooks", "GET /api/webhooks/", {}],
    ["POST", "/api/webhooks", "POST /api/webhooks/", {}],
    ["GET", "/api/webhooks/crm", "GET /api/webhooks/:webHookId", { webHookId: "crm" }],
    ["GET", "/api/webhooks/crm/", "GET /api/webhooks/:webHookId", { webHookId: "crm" }],
    ["POST", "/api/webhooks/crm/update", "POST /api/webhooks/:webHookId/update", { webHookId: "crm" }],
    ["POST", "/api/webhooks/update/update/", "POST /api/webhooks/:webHookId/update", { webHookId: "update" }],
    ["POST", "/api/user/delete-by-email/", "POST /api/user/delete-by-email", {}],
    ["PUT", "/sinks/demo", "ANY /sinks/:name", { name: "demo" }],
    ["BREW", "/sinks/demo", "ANY /sinks/:name", { name: "demo" }],
  ])("finds %s %s", (method, path, route, params) => {
    expect(table().find(method, path)).toEqual({ route, params });
  });

  it.each([
    ["a%2Fb", "a/b"],
    ["caf%C3%A9", "café"],
    ["a%20b+c", "a b+c"],
    ["100%", "100%"],
    ["%E0%A4%A", "%E0%A4%A"],
    [":webHookId", ":webHookId"],
    ["__proto__", "__proto__"],
  ])("reads the segment %s as %s", (segment, value) => {
    const hit = table().find("GET", `/api/webhooks/${segment}`);
    expect(hit).toMatchObject({ params: { webHookId: value } });
  });

  it("decodes segments after matching, so an encoded slash does not split one", () => {
    expect(table().find("GET", "/api/customers/a%2Fprofile/profile")).toMatchObject({
      params: { customerId: "a/profile" },
    });
  });

  it("prefers a literal segment, and falls back to a parameter", () => {
    expect(table().find("GET", "/data/threads/newest")).toMatchObject({
      route: "GET /data/threads/newest",
      params: {},
    });
    expect(table().find("GET", "/data/threads/9001")).toEqual({
      route: "GET /data/:collection/:id",
      params: { collection: "threads", id: "9001" },
    });
    expect(table().find("DELETE", "/data/threads/newest/hard")).toMatchObject({
      params: { other: "threads", key: "newest" },
    });
  });

  it("accepts HEAD wherever it accepts GET", () => {
    for (const path of ["/data/threads/newest", "/data/threads/9001", "/api/webhooks/"])
      expect(table().find("HEAD", path)).toEqual(table().find("GET", path));
    const own = new RouteTable<string>();
    own.add("ANY", "/any", "any");
    own.add("GET", "/own", "get");
    own.add("HEAD", "/own", "head");
    expect(["/any", "/own"].map((path) => own.find("HEAD", path))).toMatchObject([
      { route: "any" },
      { route: "head" },
    ]);
  });

  it("uses the parameter names of the matching route", () => {
    expect(table().find("DELETE", "/data/users/501/hard")).toEqual({
      route: "DELETE /data/:other/:key/hard",
      params: { other: "users", key: "501" },
    });
    expect(table().find("POST", "/data/threads/9001/close")).toMatchObject({ params: { threadId: "9001" } });
  });

  it.each([
    ["PUT", "/api/webhooks/", ["GET", "HEAD", "POST"]],
    ["DELETE", "/api/webhooks", ["GET", "HEAD", "POST"]],
    ["OPTIONS", "/api/webhooks", ["GET", "HEAD", "POST"]],
    ["POST", "/api/webhooks/crm", ["GET", "HEAD"]],
    ["GET", "/api/user/delete-by-email", ["POST"]],
    ["HEAD", "/api/user/delete-by-email", ["POST"]],
    ["POST", "/data/threads/newest", ["GET", "HEAD"]],
    ["POST", "/", ["GET", "HEAD"]],
  ])("lists the allowed methods for %s %s", (method, path, allowed) => {
    expect(table().find(method, path)).toEqual({ allowed });
  });

  it.each([
    "/api",
    "/api/",
    "/api/webhooks//",
    "/api/webhooks//update",
    "//api/webhooks/",
    "/api/webhooks/crm/update/now",
    "/API/webhooks/",
    "/api/constructor",
    "/sinks",
    "/sinks/",
  ])("does not find %s", (path) => {
    expect(table().find("GET", path)).toBeUndefined();
    expect(table().find("POST", path)).toBeUndefined();
  });
});
