import { expect, it } from "vitest";
import { SimClient, SimError } from "../../src/client/index.js";
import { rejection, startClients } from "../support/client.js";
import { freePort } from "../support/free-port.js";
import { serverOf } from "../support/server.js";
import { startSimulator } from "../support/simulator.js";

it("a client uses the sandbox default, however many slashes its address ends with", async () => {
  const sim = await startSimulator();
  const client = new SimClient({ url: new URL(`${sim.url}//`) });
  expect(client).toMatchObject({ id: "default", url: sim.url });
  expect(client.token("acme-token")).toBe("acme-token");
  await client.customerSays("9001", "Hello");
  expect((await sim.control("GET /deliveries")).body).toHaveLength(1);
});

it("a client can use an existing sandbox", async () => {
  const { sim, client, sandbox } = await startClients();
  const attached = new SimClient({ url: sim.url, sandbox: sandbox.id });
  expect(attached.token("acme-token")).toBe(sandbox.token("acme-token"));
  await attached.customerSays("9001", "Hello");
  expect([(await sandbox.deliveries()).length, await client.deliveries()]).toEqual([1, []]);
});

it("a client sends the control token with every call", async () => {
  const { sim, client } = await startClients({ controlToken: "secret" }, { controlToken: "secret" });
  await client.reset();
  const without = await rejection(new SimClient({ url: sim.url }).reset());
  expect(without).toMatchObject({ name: "SimError", status: 401 });
});

it("a sandbox starts with the given options, knows its tokens, and is deleted at the end of its block", async () => {
  const { client } = await startClients();
  const ids = async () => (await client.sandboxes()).map(({ id }) => id);
  {
    const clock = "2026-01-01T09:00:00Z";
    await using sandbox = await client.sandbox({ id: "mine", behaviour: "realistic", clock });
    expect(await ids()).toContain("mine");
    expect(sandbox.tokens).toMatchObject({ "acme-token": "mine.acme-token" });
    expect(sandbox.token("acme-token")).toBe("mine.acme-token");
    expect(() => sandbox.token("acme")).toThrow(
      `the sandbox has no token "acme": it has acme-token, acme-no-delete, globex-token`,
    );
    expect(await sandbox.clock()).toEqual({ now: Date.parse(clock), frozen: true });
    const [row] = (await sandbox.behaviour()).filter(({ key }) => key === "window.duration");
    expect(row?.value).toBe("24h");
  }
  expect(await ids()).not.toContain("mine");
  await using gone = await client.sandbox();
  await client.deleteSandbox(gone.id);
});

it("a sandbox requires an address", () => {
  expect(() => new SimClient({} as never)).toThrow("url is missing");
});

it("a refusal says which call was refused and why", async () => {
  const { sandbox } = await startClients();
  const error = await rejection(sandbox.customerSays("404", "Hello"));
  expect(error).toBeInstanceOf(SimError);
  expect(error).toMatchObject({ status: 404, code: "not-found", details: [] });
  expect(error.message).toMatch(
    /^POST http:\/\/127\.0\.0\.1:\d+\/__sim\/sandboxes\/\w+\/threads\/404\/inbound → 404 there is no thread "404"; threads: 9001, .*$/,
  );
});

it("a refusal shows each of several problems on its own line", async () => {
  const { client } = await startClients();
  const error = await rejection(client.sandbox({ fixtures: { organizations: [{ id: "x" } as never] } }));
  expect(error).toMatchObject({ status: 400, code: "unusable-input" });
  const details = error.details as { path: string; message: string }[];
  expect(details).toHaveLength(2);
  const lines = details.map(({ path, message }) => `  ${path}: ${message}`);
  expect(error.message.split("\n").slice(1)).toEqual(lines);
});

it("a refusal says that no server answers", async () => {
  const port = await freePort();
  const error = await rejection(new SimClient({ url: `http://127.0.0.1:${port}` }).reset());
  expect(error).toMatchObject({ status: null, code: "unreachable" });
  const call = `POST http://127.0.0.1:${port}/__sim/reset`;
  expect(error.message).toMatch(new RegExp(`^${call}: no simulator answers there: .*ECONNREFUSED`));
});

it("a refusal quotes the answer of a server that is not a simulator", async () => {
  const url = await serverOf((_request, response) => response.writeHead(502).end("Bad gateway"));
  const error = await rejection(new SimClient({ url }).reset());
  expect(error).toMatchObject({ status: 502, code: "unknown" });
  expect(error.message).toMatch(/502 Bad gateway$/);
});
