import { once } from "node:events";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { Pool } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { receiver } from "../delivery/support.js";
import { start } from "./program.js";

/** How many files and connections the process may have open. */
const LIMIT = 160;
const QUERY = JSON.stringify({ query: "get-hook-query" });

/** Calls over one connection, which is there before there are no others. */
function callsTo(url: string) {
  const pool = new Pool(url, { connections: 1 });
  onTestFinished(() => pool.destroy());
  return async (line: string, sent?: unknown) => {
    const [method, path] = line.split(" ") as ["GET" | "POST", string];
    const headers = { token: "acme-token", "content-type": "application/json" };
    const body = typeof sent === "string" ? sent : JSON.stringify(sent);
    const answer = await pool.request({ method, path, headers, body });
    return { status: answer.statusCode, body: JSON.parse(await answer.body.text()) };
  };
}

/** Opens connections until the process closes one at once: it has no descriptor for it. */
async function exhaust(url: string): Promise<Socket[]> {
  const { hostname, port } = new URL(url);
  const sockets = Array.from({ length: LIMIT }, () => connect(Number(port), hostname).on("error", () => {}));
  await Promise.race(sockets.map((socket) => once(socket, "close")));
  return sockets;
}

describe.skipIf(process.platform === "win32")("a process without a free file descriptor", () => {
  it("fails the calls that need one, goes on, and is whole again afterwards", async () => {
    const { url: hook } = await receiver();
    const program = start(["serve", "--port", "0", "--log-format", "json"], {}, LIMIT);
    const url = await program.url();
    const call = callsTo(url);
    await call("POST /__sim/data/webhooks", {
      organizationId: "200",
      url: hook,
      subscribedEvents: ["messages"],
    });
    const sockets = await exhaust(url);
    const write = () => call("POST /__sim/threads/9001/inbound", { text: "Hello" });
    expect((await call("POST /graphql", QUERY)).status).toBe(500);
    await write();
    await call("POST /__sim/wait", { for: "idle" });
    const [failed] = (await call("GET /__sim/deliveries?limit=1")).body;
    expect(failed.status).toBe("failed");
    expect(failed.attempts[0].error).toContain("too many open files and connections");
    expect((await call("GET /__sim/openapi.json")).status).toBe(500);
    expect((await call("POST /__sim/scenarios/run", { scenario: { steps: [] } })).status).toBe(500);
    expect((await call("GET /__sim/health")).status).toBe(200);

    for (const socket of sockets) socket.destroy();
    await expect.poll(async () => (await call("POST /graphql", QUERY)).status).toBe(200);
    await write();
    await call("POST /__sim/wait", { for: "idle" });
    expect((await call("GET /__sim/deliveries?limit=1")).body[0].status).toBe("delivered");
    expect((await call("GET /__sim/openapi.json")).status).toBe(200);
    expect((await call("POST /__sim/scenarios/run", { scenario: { steps: [] } })).status).toBe(200);
    expect(program.child.exitCode).toBeNull();
  });
});
