/** Browsers that call the simulated API (behaviour `cors.origins`). */
import { expect, it } from "vitest";
import { type Running, startSimulator } from "../support/simulator.js";
import { DETAILS, SEND } from "./client.js";

const APP = "https://app.example";
const PREFLIGHT = {
  "access-control-request-method": "POST",
  "access-control-request-headers": "token,content-type",
};
const preflightOf = ({ api }: Running, origin = APP) =>
  api(`OPTIONS ${SEND}`, undefined, { token: null, headers: { ...PREFLIGHT, origin } });
const corsOf = (headers: Headers) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith("access-control-") || name === "vary"));

it("cors.origins is off by default: preflights are refused, and no answer has CORS headers", async () => {
  const sim = await startSimulator();
  const preflight = await preflightOf(sim);
  expect([preflight.status, corsOf(preflight.headers)]).toEqual([405, {}]);
  const answer = await sim.api(`GET ${DETAILS}`, undefined, { headers: { origin: APP } });
  expect([answer.status, corsOf(answer.headers)]).toEqual([200, {}]);
});

it.each([[[APP]], [["https://other.example", APP]], [["*"]]])("%j lets an origin in", async (origins) => {
  const sim = await startSimulator({ set: { "cors.origins": origins } });
  const preflight = await preflightOf(sim);
  expect(preflight.status).toBe(204);
  expect(corsOf(preflight.headers)).toMatchObject({
    "access-control-allow-origin": APP,
    "access-control-allow-methods": "GET, POST",
    "access-control-allow-headers": "token, content-type",
  });
  expect((await sim.control("GET /requests")).body).toEqual([]);
  const body = { customerThreadId: "9001", text: "from a page" };
  for (const token of ["acme-token", "no"]) {
    const answer = await sim.api(`POST ${SEND}`, body, { token, headers: { origin: APP } });
    expect(corsOf(answer.headers)).toEqual({
      "access-control-allow-origin": APP,
      "access-control-expose-headers": "X-Sim-Request, X-Sim-Behaviour, X-Sim-Behaviour-Source, Retry-After",
      vary: "Origin",
    });
  }
});

it("cors.origins allows no other origin, and adds no headers without an origin", async () => {
  const sim = await startSimulator({ set: { "cors.origins": [APP] } });
  for (const origin of ["https://app.example.evil.example", "null", "http://app.example"]) {
    const { status, headers } = await preflightOf(sim, origin);
    expect([origin, status, corsOf(headers)]).toEqual([origin, 405, {}]);
    const answer = await sim.api(`GET ${DETAILS}`, undefined, { headers: { origin } });
    expect([origin, corsOf(answer.headers)]).toEqual([origin, {}]);
  }
  expect(corsOf((await sim.api(`GET ${DETAILS}`)).headers)).toEqual({});
});

it("cors.origins of one sandbox allows preflights, but only its own answers are readable", async () => {
  const sim = await startSimulator({ set: {} });
  await sim.control("POST /sandboxes", { id: "s", behaviour: { "cors.origins": [APP] } });
  const preflight = await preflightOf(sim);
  expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, APP]);
  const read = async (token: string) =>
    corsOf((await sim.api(`GET ${DETAILS}`, undefined, { token, headers: { origin: APP } })).headers);
  expect(await read("s.acme-token")).toMatchObject({ "access-control-allow-origin": APP });
  expect(await read("acme-token")).toEqual({});
});

it("cors.origins applies to the answers of faults", async () => {
  const sim = await startSimulator({ set: { "cors.origins": ["*"] } });
  await sim.control("POST /faults", { on: "request", then: "rate-limited" });
  const { status, headers } = await sim.api(`GET ${DETAILS}`, undefined, { headers: { origin: APP } });
  expect([status, headers.get("access-control-allow-origin")]).toEqual([429, APP]);
});
