/** The catalogue of control errors against the routes that may answer them. */

import { describe, expect, it } from "vitest";
import {
  CONTROL_ERROR_KEYS,
  ControlError,
  controlErrorEntry,
  controlErrorOf,
  ERROR_CODES,
} from "../../src/control/errors.js";
import { ROUTES } from "../../src/control/routes/index.js";
import { InvalidInput, Refusal } from "../../src/service/domain/refusals.js";
import { GENERAL_ERRORS } from "../support/response-check.js";
import { startSimulator } from "../support/simulator.js";

describe("the catalogue of control errors", () => {
  it("has an entry for each code, and no entry that cannot occur", () => {
    const codes = CONTROL_ERROR_KEYS.map((key) => controlErrorEntry(key).code);
    expect(new Set(codes)).toEqual(new Set(Object.keys(ERROR_CODES)));
    const declared = ROUTES.flatMap(({ refusals = [] }) => refusals);
    // Waits and verifications add fields to these errors, and a bug of the simulator may occur anywhere.
    const known = new Set([
      ...GENERAL_ERRORS,
      ...declared,
      ...(["waits.timeout", "waits.notIdle", "waits.notHeld", "verify.failed", "simulator.failed"] as const),
    ]);
    expect(CONTROL_ERROR_KEYS.filter((key) => !known.has(key))).toEqual([]);
  });

  it("has no message twice", () => {
    const messages = CONTROL_ERROR_KEYS.map((key) => controlErrorEntry(key).message);
    expect(new Set(messages).size).toBe(messages.length);
  });
});

describe("a control error", () => {
  it("fills in the placeholders of its message, once", () => {
    const error = new ControlError("records.taken", { id: '"${collection}"', collection: "users" });
    expect(error.toJSON()).toEqual({
      error: {
        code: "conflict",
        message: 'users already has a record with the id "${collection}"',
        details: [],
      },
    });
    expect(error.status).toBe(409);
  });

  it("is made from refusals that the control API knows, and from no other error", () => {
    const known = controlErrorOf(new Refusal("threads.notFound", { customerThreadId: "9" }));
    expect(known).toMatchObject({ status: 404, code: "not-found", message: 'there is no thread "9"' });
    const invalid = controlErrorOf(new InvalidInput([{ property: "@.url", message: "is wrong" }]));
    expect(invalid).toMatchObject({ status: 400, details: [{ path: "url", message: "is wrong" }] });
    for (const other of [new Refusal("users.notFound"), new Error("other"), "thrown"])
      expect(controlErrorOf(other)).toBe(other);
  });
});

describe("a mistyped address", () => {
  it.each([
    ["/__sim/healt", ": did you mean /__sim/health?"],
    [
      "/__sim/sandboxes/default/thread/9001/transcript",
      ": did you mean /__sim/sandboxes/default/threads/9001/transcript?",
    ],
    ["/__sim/iu/", ": did you mean /__sim/ui/?"],
    ["/__sim/nothing-like-it", ""],
    ["/__sim/data//x", ""],
    ["/__sim/threads/9001/status", ""],
  ])("%s", async (path, hint) => {
    const { status, body } = await (await startSimulator()).control(`GET ${path.slice("/__sim".length)}`);
    expect(status).toBe(404);
    expect(body.error.message).toBe(`${path} is not a route of the control API${hint}`);
  });

  it("without a path redirects browsers to the dashboard, and nobody else", async () => {
    const { url } = await startSimulator();
    const get = (accept: string, path = "/") =>
      fetch(url + path, { headers: { accept }, redirect: "manual" });
    const asked = await get("text/html,application/xhtml+xml,*/*;q=0.8");
    expect([asked.status, asked.headers.get("location")]).toEqual([302, "/__sim/ui/"]);
    expect((await get("*/*")).status).toBe(404);
    expect((await get("text/html", "/api")).status).toBe(404);
  });
});

it("an error in a JSON body has a line and a column", async () => {
  const sim = await startSimulator();
  const { status, body } = await sim.control("POST /threads/9001/inbound", '{\n "text": "a",, }');
  expect([status, body.error.message]).toEqual([
    400,
    "the request is unusable: the body must be valid JSON: expected a key in double quotes at line 2, column 14",
  ]);
});
