import { integer, object, oneOf, record, string, unknown } from "../../kernel/schema.js";
import { route } from "../route.js";
import type { Descriptions } from "../services.js";

const description = (id: keyof Descriptions, path: `/${string}`, summary: string) =>
  route(id, `GET ${path}`, {
    scope: "server",
    summary,
    success: { status: 200, schema: record(unknown()) },
    handle: async ({ services }) => ({ body: await services.descriptions[id]() }),
  });

export const SERVER_ROUTES = [
  route("health", "GET /health", {
    scope: "server",
    summary: "Whether the simulator is there",
    open: true,
    success: {
      status: 200,
      schema: object({
        status: oneOf(["ok"]),
        version: string(),
        uptimeMs: integer({ minimum: 0 }),
        sandboxes: integer({ minimum: 1, description: "how many there are, default among them" }),
      }),
    },
    handle: ({ services }) => ({
      body: {
        status: "ok",
        version: services.version,
        uptimeMs: services.uptime(),
        sandboxes: services.registry.size,
      },
    }),
  }),
  description("openapi", "/openapi.json", "OpenAPI 3.1 of the simulated API"),
  description("control", "/control.json", "OpenAPI 3.1 of the control API"),
  description("asyncapi", "/asyncapi.json", "AsyncAPI 3 of the webhooks"),
];
