/** Values that no call, delivery or record can have are refused wherever something is matched over HTTP. */
import { describe, expect, it } from "vitest";
import { openSandbox } from "../support/simulator.js";

type Refused = readonly [line: string, body: unknown, path: string, message: RegExp];

const REFUSED: readonly Refused[] = [
  [
    "POST /wait",
    { for: { requests: { operation: "sendMesage" } } },
    "for.requests.operation",
    /^unknown operation "sendMesage": did you mean "sendMessageToCustomerThread"\?$/,
  ],
  [
    "POST /wait",
    { for: { deliveries: { eventType: "messages" } } },
    "for.deliveries.eventType",
    /unknown event type "messages": did you mean "message"\?/,
  ],
  [
    "POST /verify",
    { requests: { method: "post" }, count: 0 },
    "requests.method",
    /unknown method "post": did you mean "POST"\?/,
  ],
  ["POST /verify", { requests: { status: "400" }, count: 0 }, "requests.status", /must be an HTTP status/],
  ["POST /verify", { requests: { by: "cleint" }, count: 0 }, "requests.by", /did you mean "client"\?/],
  [
    "POST /verify",
    { requests: { operation: { $not: "updateThreadStatos" } } },
    "requests.operation.$not",
    /did you mean "updateThreadStatus"\?/,
  ],
  [
    "POST /faults",
    { on: "request", match: { operation: "getWebhok" }, then: "slow" },
    "match.operation",
    /did you mean "getWebhook"\?/,
  ],
  [
    "POST /faults",
    { on: "delivery", match: { eventType: "transfers" }, then: "slow" },
    "match.eventType",
    /did you mean "transfer"\?/,
  ],
  ["GET /requests?operation=createWebook", undefined, "operation", /did you mean "createWebhook"\?/],
  ["GET /requests?method=POTS", undefined, "method", /did you mean "POST"\?/],
  ["GET /requests?by=sut", undefined, "by", /must be one of client, scenario/],
  ["GET /deliveries?eventType=messages", undefined, "eventType", /must be one of message, transfer/],
  ["GET /deliveries?status=sent", undefined, "status", /must be one of pending, delivered/],
];

describe("a value that nothing can have", () => {
  it("is refused with its place and a suggestion", async () => {
    const sim = await openSandbox();
    for (const [line, body, path, message] of REFUSED) {
      const { status, body: answer } = await sim.control(line, body);
      const { error } = answer as { error: { details: unknown[] } };
      expect([line, status, error.details]).toEqual([
        line,
        400,
        expect.arrayContaining([
          { path: expect.stringContaining(path), message: expect.stringMatching(message) },
        ]),
      ]);
    }
    expect((await sim.control("GET /faults")).body).toEqual([]);
  });

  it("is no value that stands for itself in an operator, null where there is nothing, or a method in either case", async () => {
    const sim = await openSandbox();
    const requests = { operation: { $regex: "^send" }, method: { $any: "string" }, status: { $lt: 0 } };
    expect((await sim.control("POST /verify", { requests, count: 0 })).status).toBe(200);
    const none = { operation: null, status: null, method: "PROPFIND" };
    expect((await sim.control("POST /verify", { requests: none, count: 0 })).status).toBe(200);
    expect((await sim.control("GET /requests?method=post&operation=graphql")).status).toBe(200);
  });
});
