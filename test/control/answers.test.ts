/** What routes answer fits the schemas that describe them. */
import { describe, expect, it } from "vitest";
import { ROUTES } from "../../src/control/routes/index.js";
import { routeTable } from "../../src/http/endpoint.js";
import { createAjv } from "../../src/kernel/ajv.js";
import { published } from "../../src/kernel/schema.js";
import { openSandbox } from "../support/simulator.js";

const table = routeTable(ROUTES);
const ajv = createAjv();

const CUSTOMER = { id: "new", organizationId: "200" };

/** One after the other, in one world. */
const CALLS: readonly (readonly [call: string, body?: object])[] = [
  ["GET /health"],
  ["GET /openapi.json"],
  ["GET /control.json"],
  ["GET /asyncapi.json"],
  ["POST /sandboxes", { id: "a", ttlMs: 60_000 }],
  ["PUT /sandboxes/a", {}],
  ["GET /sandboxes"],
  ["GET /sandboxes/a"],
  ["DELETE /sandboxes/a"],
  ["POST /threads/9001/inbound", { text: "Hi" }],
  ["POST /threads/9001/employee-message", { userId: "501", text: "Hello" }],
  ["POST /threads/9001/window", { open: true }],
  ["POST /threads/9001/transfer", { businessId: "1002" }],
  ["POST /events", { eventType: "message", data: {} }],
  ["POST /clock/advance", { by: "1s" }],
  ["GET /threads/9001/transcript"],
  ["GET /clock"],
  ["PUT /clock", { frozen: true }],
  ["GET /state"],
  ["PUT /state", { organizations: [{ id: "200", name: "A" }] }],
  ["POST /reset"],
  ["POST /snapshots", { name: "a" }],
  ["GET /snapshots"],
  ["POST /snapshots/a/restore"],
  ["DELETE /snapshots/a"],
  ["GET /data/threads?_embed=messages"],
  ["GET /data/messages?_page=1"],
  ["GET /data/threads/9001?_embed=customer"],
  ["POST /data/customers", CUSTOMER],
  ["PUT /data/customers/new", CUSTOMER],
  ["PATCH /data/customers/new", { firstName: "N" }],
  ["DELETE /data/customers/new"],
  ["GET /behaviour"],
  ["PATCH /behaviour", { "delivery.attempts": 2 }],
  ["PUT /sinks/demo", { status: 201 }],
  ["GET /sinks/demo/received"],
];

describe("answers of the control API", () => {
  it("fit their descriptions", async () => {
    const { control } = await openSandbox();
    for (const [call, body] of CALLS) {
      const [method, target] = call.split(" ") as [string, string];
      const hit = table.find(method, target.split("?")[0] as string);
      if (hit === undefined || !("route" in hit)) throw new Error(`${call} is no route`);
      const answer = await control(call, body);
      const { status, schema } = hit.route.success;
      expect([call, answer.status]).toEqual([call, status]);
      const fits = ajv.validate(published(schema) as object, answer.body);
      expect([call, fits, ajv.errorsText()]).toEqual([call, true, "No errors"]);
    }
  });
});
