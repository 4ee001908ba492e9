import { once } from "node:events";
import { connect } from "node:net";
import { expect, it } from "vitest";
import { SimClient } from "../../src/client/index.js";
import { filesFor } from "../support/folder.js";
import { until } from "../support/until.js";
import { start } from "./program.js";
import { begin } from "./terminal.js";

const file = filesFor("serve");

it("says where it is, and ends with code 0 at SIGTERM", async () => {
  const program = start(["serve"], { MESSAGING_SIM_PORT: "0" });
  const line = await program.line();
  expect(line).toMatch(/^messaging-sim ready at http:\/\/127\.0\.0\.1:\d+$/);
  const url = line.slice(line.indexOf("http"));
  expect(await program.line()).toMatch(/^ {2}tokens +acme-token, /);
  expect(await program.line()).toBe(`  dashboard  ${url}/__sim/ui/`);
  program.child.kill("SIGTERM");
  expect(await program.exited).toBe(0);
  expect(program.stderr()).toBe("");
});

it("writes JSON when asked, ready at any level, and ends with code 0 at SIGINT", async () => {
  const program = start(["serve", "--port=0", "--log-format=json", "--log-level=error"]);
  const line = await program.line();
  const ready = JSON.parse(line);
  expect(ready).toMatchObject({ event: "ready", level: "info", url: expect.stringMatching(/^http:/) });
  expect((await fetch(`${ready.url}/__sim/health`)).status).toBe(200);
  program.child.kill("SIGINT");
  expect(await program.exited).toBe(0);
  expect(program.stdout()).toBe(`${line}\n`);
});

it("lets an open request come to its end, and a second signal not", async () => {
  const fault = file("slow.json", '{ "on": "request", "then": { "delayMs": 60000 } }');
  const program = start(["--port=0", "--fault", fault]);
  const url = await program.url();
  const answer = fetch(`${url}/api/webhooks/`, { headers: { token: "acme-token" } }).catch(() => "cut off");
  await new SimClient(url).waitForRequest({ path: "/api/webhooks/" });
  program.child.kill("SIGTERM");
  const { hostname, port } = new URL(url);
  await until(async () => {
    const socket = connect(Number(port), hostname).on("connect", () => socket.destroy());
    // It fails once nothing listens at the address.
    return once(socket, "close").then(
      () => false,
      () => true,
    );
  });
  expect(program.child.exitCode).toBe(null);
  program.child.kill("SIGTERM");
  expect(await program.exited).toBe(130);
  expect(await answer).toBe("cut off");
});

it("is followed until it is killed", async () => {
  const program = start(["serve", "--port=0", "--log-level", "error"]);
  const tail = begin(["tail", "--json", "--url", await program.url()]);
  await tail.printed(/hello/);
  program.child.kill("SIGKILL");
  expect(await tail.exited).toBe(1);
  expect(tail.err()).toMatch(/^Following .*\nThe simulator stopped\.\n$/);
});
