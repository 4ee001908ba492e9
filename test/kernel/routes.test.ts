import { describe, expect, it } from "vitest";
import { type MethodAndPath, methodAndPath, routeTable } from "../../src/kernel/http/endpoint.js";

const ROUTES = [
  "GET /",
  "GET /api/webhooks/",
  "POST /api/webhooks/",
  "GET /api/webhooks/:webHookId",
  "POST /api/webhooks/:webHookId/update",
  "GET /api/customers/:customerId/profile",
  "POST /api/user/delete-by-email",
  "ANY /sinks/:name",
  "GET /data/threads/newest",
  "GET /data/:collection/:id",
  "DELETE /data/:other/:key/hard",
  "POST /data/threads/:threadId/close",
];

/** What the table finds, with the route as its line. */
function find(method: string, path: string, lines: readonly string[] = ROUTES) {
  const routes = lines.map((line) => ({ line, ...methodAndPath(line as MethodAndPath) }));
  const found = routeTable(routes).find(method, path);
  return { ...found, route: found.route?.line };
}

describe("a route table", () => {
  it.each([
    ["GET /", "GET /", {}],
    ["GET ", "GET /", {}],
    ["GET /api/webhooks/", "GET /api/webhooks/", {}],
    ["GET /api/webhooks", "GET /api/webhooks/", {}],
    ["GET /api/webhooks/crm", "GET /api/webhooks/:webHookId", { webHookId: "crm" }],
    ["GET /api/webhooks/crm/", "GET /api/webhooks/:webHookId", { webHookId: "crm" }],
    ["POST /api/webhooks/crm/update", "POST /api/webhooks/:webHookId/update", { webHookId: "crm" }],
    ["PUT /sinks/demo", "ANY /sinks/:name", { name: "demo" }],
    // Segments are decoded after matching, so an encoded slash does not split one.
    ["GET /api/customers/a%2Fb/profile", "GET /api/customers/:customerId/profile", { customerId: "a/b" }],
    // Of paths that overlap, the first counts, and the name of a parameter is that of the matching route.
    ["GET /data/threads/newest", "GET /data/threads/newest", {}],
    ["GET /data/threads/9001", "GET /data/:collection/:id", { collection: "threads", id: "9001" }],
    [
      "DELETE /data/threads/newest/hard",
      "DELETE /data/:other/:key/hard",
      { other: "threads", key: "newest" },
    ],
    ["POST /data/threads/9001/close", "POST /data/threads/:threadId/close", { threadId: "9001" }],
  ])("finds %s", (call, route, params) => {
    const [method = "", path = ""] = call.split(" ");
    expect(find(method, path)).toEqual({ route, params, allowed: [] });
  });

  it.each([
    ["a%20b+c", "a b+c"],
    ["100%", "100%"],
    ["%E0%A4%A", "%E0%A4%A"],
    [":webHookId", ":webHookId"],
    ["__proto__", "__proto__"],
  ])("reads the segment %s as %s", (segment, value) => {
    const hit = find("GET", `/api/webhooks/${segment}`);
    expect(hit).toMatchObject({ params: { webHookId: value } });
  });

  it("accepts HEAD wherever it accepts GET", () => {
    for (const path of ["/data/threads/newest", "/data/threads/9001", "/api/webhooks/"])
      expect(find("HEAD", path)).toEqual(find("GET", path));
    expect(find("HEAD", "/any", ["ANY /any", "GET /own"])).toMatchObject({ route: "ANY /any" });
  });

  it.each([
    ["PUT", "/api/webhooks/", ["GET", "HEAD", "POST"]],
    ["OPTIONS", "/api/webhooks", ["GET", "HEAD", "POST"]],
    ["POST", "/api/webhooks/crm", ["GET", "HEAD"]],
    ["HEAD", "/api/user/delete-by-email", ["POST"]],
    ["POST", "/data/threads/newest", ["GET", "HEAD"]],
  ])("lists the allowed methods for %s %s", (method, path, allowed) => {
    expect(find(method, path)).toEqual({ route: undefined, params: {}, allowed });
  });

  it("finds nothing else", () => {
    const paths = ["/api", "/api/", "/api/webhooks//", "/api/webhooks//update", "//api/webhooks/"];
    const more = ["/API/webhooks/", "/api/webhooks/crm/update/now", "/api/constructor", "/sinks", "/sinks/"];
    const nothing = { route: undefined, params: {}, allowed: [] };
    for (const path of [...paths, ...more])
      for (const method of ["GET", "POST"]) expect([path, find(method, path)]).toEqual([path, nothing]);
  });
});
