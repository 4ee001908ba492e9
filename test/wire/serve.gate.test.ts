/** Options of the real command that decide who may call it. */
import { expect, it } from "vitest";
import { start } from "../cli/program.js";
import { ask } from "./client.js";

/** Status and body of a control call on the loopback address. */
async function call(url: string, path: string, headers: Record<string, string> = {}) {
  const { status, body } = await ask(url, `GET /__sim${path}`, headers);
  return { status, body: JSON.parse(body) };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

it("serve on a public address creates and prints a token, and refuses calls without it", async () => {
  const program = start(["--port=0", "--host=0.0.0.0", "--log-level=error"]);
  const url = await program.url();
  const [, token = ""] = /^ {2}control token: (\S+) /.exec(await program.line()) ?? [];
  expect(token).toMatch(/^[\w-]{32}$/);
  expect((await call(url, "/state")).status).toBe(401);
  expect((await call(url, "/state", bearer("guess"))).status).toBe(401);
  expect((await call(url, "/health")).status).toBe(200);
  expect((await call(url, "/state", bearer(token))).status).toBe(200);
  expect((await call(url, "/state", { ...bearer(token), host: "sim:4020" })).status).toBe(200);
});

it("serve on a public address prints it in JSON too", async () => {
  const program = start(["--port=0", "--host=0.0.0.0", "--log-format=json"]);
  const { url, controlToken } = JSON.parse(await program.line());
  expect((await call(url, "/clock")).status).toBe(401);
  expect((await call(url, "/clock", bearer(controlToken))).status).toBe(200);
});

it("serve on a public address creates none if one is given, or with off", async () => {
  const given = start(["--port=0", "--host=0.0.0.0", "--control-token=mine", "--log-format=json"]);
  const ready = JSON.parse(await given.line());
  expect(ready.controlToken).toBe(undefined);
  expect((await call(ready.url, "/clock")).status).toBe(401);
  expect((await call(ready.url, "/clock", bearer("mine"))).status).toBe(200);
  const off = start(["--port=0", "--host=0.0.0.0", "--control-token=off", "--log-level=error"]);
  const url = await off.url();
  expect((await call(url, "/clock")).status).toBe(200);
  expect((await call(url, "/clock", { host: "evil.example" })).status).toBe(403);
});
