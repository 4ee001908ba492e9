import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Pool } from "undici";
import { expect, it, onTestFinished } from "vitest";
import { receiver } from "../delivery/support.js";
import { start } from "./program.js";

/** How many files and connections the process may have open. */
const LIMIT = 160;

/** Calls over one connection, which is there before there are no others. */
function callsTo(url: string) {
  const pool = new Pool(url, { connections: 1 });
  onTestFinished(() => pool.destroy());
  return async (line: string, sent?: unknown) => {
    const [method, path] = line.split(" ") as ["GET" | "POST", string];
    const headers = { token: "acme-token", "content-type": "application/json" };
    const answer = await pool.request({ method, path, headers, body: JSON.stringify(sent) });
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

const NAME =
  "a process without a free file descriptor fails the calls that need one, goes on, and is whole again afterwards";
it.skipIf(process.platform === "win32")(NAME, async () => {
  const { url: hook } = await receiver();
  const program = start(["serve", "--port", "0", "--log-format", "json"], {}, LIMIT);
  const url = await program.url();
  const call = callsTo(url);
  const webhook = { organizationId: "200", url: hook, subscribedEvents: ["messages"] };
  await call("POST /__sim/data/webhooks", webhook);
  const sockets = await exhaust(url);
  const statuses = async () => {
    const graphql = await call("POST /graphql", { query: "get-hook-query" });
    const description = await call("GET /__sim/openapi.json");
    const scenario = await call("POST /__sim/scenarios/run", { scenario: { steps: [{ log: "x" }] } });
    return [graphql, description, scenario].map(({ status }) => status);
  };
  const delivery = async () => {
    await call("POST /__sim/threads/9001/inbound", { text: "Hello" });
    await call("POST /__sim/wait", { for: "idle" });
    return (await call("GET /__sim/deliveries?limit=1")).body[0];
  };
  expect(await statuses()).toEqual([500, 500, 500]);
  const error = expect.stringContaining("too many open files");
  expect(await delivery()).toMatchObject({ status: "failed", attempts: [{ error }] });
  expect((await call("GET /__sim/health")).status).toBe(200);

  for (const socket of sockets) socket.destroy();
  await expect.poll(statuses).toEqual([200, 200, 200]);
  expect((await delivery()).status).toBe("delivered");
  expect(program.child.exitCode).toBeNull();
});
