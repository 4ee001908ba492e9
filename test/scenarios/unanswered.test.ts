/** A scenario's call that could not be made is no call whose connection was closed. */
import { createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { callApi, sendAsScenario } from "../../src/scenarios/api.js";
import { Http } from "../../src/scenarios/http.js";
import { run } from "../cli/terminal.js";
import { scratch } from "./support.js";

const callTo = async (url: string) => {
  const http = new Http();
  onTestFinished(() => http.close());
  const access = { url, sandbox: "default", token: undefined, send: sendAsScenario(http) };
  return callApi({ method: "GET", path: "/api/webhooks/" }, access);
};

describe("a call of a scenario", () => {
  it("fails the step where nothing listens", async () => {
    await expect(callTo("http://127.0.0.1:1")).rejects.toThrow(
      "GET http://127.0.0.1:1/api/webhooks/ cannot be sent: connection refused, nothing listens there",
    );
  });

  it("has no status where its connection is closed", async () => {
    const server = createServer((socket) => void socket.destroy()).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as { port: number };
    expect(await callTo(`http://127.0.0.1:${port}`)).toEqual({ status: null, headers: {}, body: undefined });
  });

  it("says in words why no simulator answers", async () => {
    const file = scratch()("s.yaml", "steps: [{ log: Hi }]\n");
    expect(await run(["run", file, "--url", "http://127.0.0.1:1"])).toEqual({
      code: 2,
      out: "",
      err: "POST http://127.0.0.1:1/__sim/sandboxes: no simulator answers there: connection refused, nothing listens at that port (ECONNREFUSED)\n",
    });
  });
});
