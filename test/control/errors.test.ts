/** The catalogue of control errors. */

import { once } from "node:events";
import { request } from "node:http";
import { expect, it, vi } from "vitest";
import { CONTROL_ERRORS, ControlError, controlErrorOf } from "../../src/control/errors.js";
import { InvalidInput, Refusal } from "../../src/service/domain/refusals.js";
import { openSandbox, startSimulator } from "../support/simulator.js";

it("no two errors have the same message", () => {
  const messages = Object.values(CONTROL_ERRORS).map(({ message }) => message);
  expect(new Set(messages).size).toBe(messages.length);
});

it("a control error fills in the placeholders of its message, once", () => {
  const error = new ControlError("records.taken", { id: '"${collection}"', collection: "users" });
  const message = 'users already has a record with the id "${collection}"';
  expect(error.toJSON()).toEqual({ error: { code: "conflict", message, details: [] } });
  expect(error.status).toBe(409);
});

it("a control error is made from invalid input, and from no refusal of the simulated API or other error", () => {
  const invalid = controlErrorOf(new InvalidInput([{ property: "@.url", message: "is wrong" }]));
  expect(invalid).toMatchObject({ status: 400, details: [{ path: "url", message: "is wrong" }] });
  for (const other of [new Refusal("users.notFound"), new Error("other"), "thrown"])
    expect(controlErrorOf(other)).toBe(other);
});

it.each(["/__sim", "/__sim/healt", "/__sim/data/", "/__sim/threads/9001/status"])(
  "the unknown path %s is refused",
  async (path) => {
    const { url } = await openSandbox();
    const answer = await fetch(url + path);
    const message = `${path} is not a route of the control API: GET /__sim/control.json lists the routes; records are below /__sim/data`;
    expect([answer.status, (await answer.json()).error.message]).toEqual([404, message]);
  },
);

it("an address without a path redirects browsers to the dashboard, and nobody else", async () => {
  const { url } = await openSandbox();
  const get = async (accept: string, path = "/") => {
    const answer = await fetch(url + path, { headers: { accept }, redirect: "manual" });
    return [answer.status, answer.headers.get("location")];
  };
  expect(await get("text/html,application/xhtml+xml,*/*;q=0.8")).toEqual([302, "/__sim/ui/"]);
  expect(await get("*/*")).toEqual([404, null]);
  expect(await get("text/html", "/api")).toEqual([404, null]);
});

it("refuses a call that adds something while the heap is full, before it reads the body", async () => {
  const { url, registry } = await startSimulator();
  vi.spyOn(registry.heap, "isFull", "get").mockReturnValue(true);
  const headers = { "Content-Length": 1_000_000 };
  const call = request(`${url}/__sim/threads/9001/inbound`, { method: "POST", headers });
  call.flushHeaders();
  const [answer] = await once(call, "response");
  expect([answer.statusCode, answer.headers["retry-after"]]).toEqual([503, "5"]);
  call.destroy();
});

it("an error in a JSON body has a place", async () => {
  const { control } = await openSandbox();
  const { body } = await control("POST /threads/9001/inbound", '{\n "text": "a",, }');
  expect(body.error.message).toMatch(
    /^Invalid request: the body must be valid JSON: Expected double-quoted property name.* at position 15\b/,
  );
});
