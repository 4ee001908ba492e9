import { describe, expect, it, onTestFinished } from "vitest";
import { certificateFor } from "../../src/kernel/http/certificate.js";
import { callApi, Http, type HttpCall } from "../../src/scenarios/http.js";
import { serverOf } from "../support/server.js";
import { startSimulator } from "../support/simulator.js";

describe("a call of a scenario", () => {
  it("fails the step where nothing listens", async () => {
    const http = new Http();
    onTestFinished(() => http.close());
    const access = {
      url: "http://127.0.0.1:1",
      sandbox: "default",
      token: undefined,
      send: (call: HttpCall) => http.send(call),
    };
    await expect(callApi({ method: "GET", path: "/api/webhooks/" }, access)).rejects.toThrow(
      "GET http://127.0.0.1:1/api/webhooks/ cannot be sent: connection refused: nothing is listening at the address",
    );
  });

  it("without a token, and with one that nobody has, is entered where the scenario runs", async () => {
    const sim = await startSimulator();
    await sim.control("PUT /sandboxes/own");
    const call = (token: string | null) => ({ request: "GET /api/webhooks/", token, expect: 401 });
    const scenario = { name: "Refused", steps: [call(null), call("no-such-token")] };
    expect((await sim.control("POST /sandboxes/own/scenarios/run", { scenario })).body.ok).toBe(true);
    expect((await sim.control("GET /requests")).body).toEqual([]);
    expect((await sim.control("GET /sandboxes/own/requests")).body).toMatchObject([
      { by: "scenario", token: null, status: 401 },
      { by: "scenario", token: "own.no-such-token", status: 401 },
    ]);
    // What a client says of itself moves no call.
    await sim.api("GET /api/webhooks/", undefined, { token: null, headers: { "x-sim-sandbox": "own" } });
    expect((await sim.control("GET /requests")).body).toMatchObject([{ by: "client", token: null }]);
  });

  it("is made once more where another process had its sandbox", async () => {
    const statuses = [421, 200, 421, 421];
    const url = await serverOf((_, response) => response.writeHead(statuses.shift() ?? 500).end());
    const http = new Http();
    onTestFinished(() => http.close());
    const call = { method: "GET", headers: {}, body: undefined, signal: undefined } as const;
    for (const status of [200, 421])
      expect((await http.fetch(`${url}/__sim/clock`, call)).status).toBe(status);
    expect(statuses).toEqual([]);
  });

  it("reaches the simulator that runs the scenario over TLS, whoever signed its certificate", async () => {
    const { tls } = certificateFor(["localhost"], Date.parse("2026-05-05T10:00:00Z"));
    const { url } = await startSimulator({ tls });
    const http = new Http({ isOwn: true });
    onTestFinished(() => http.close());
    const body =
      '{ "scenario": { "steps": [{ "request": "GET /api/webhooks/", "token": null, "expect": 401 }] } }';
    const call = { method: "POST", url: `${url}/__sim/scenarios/run`, headers: {}, body };
    expect((await http.send(call)).body).toMatchObject({ ok: true });
    await expect(new Http().send(call)).rejects.toThrow("unable to verify the first certificate");
  });
});
