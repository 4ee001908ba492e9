import { beforeEach, expect, it } from "vitest";
import { filesFor } from "../support/folder.js";
import { freePort } from "../support/free-port.js";
import type { Running } from "../support/simulator.js";
import { startSimulator } from "../support/simulator.js";
import { refused, run } from "./terminal.js";

const DETAILS = "GET /api/get-customer-thread-details?customerThreadId=";
const SCENARIO = `name: Two threads
token: acme-token
params: { thread: "9001" }
steps:
  - window: { thread: "9001", open: false }
    name: The window closes
  - log: on
  - request: ${DETAILS}\${param:thread}
    expect: 200
  - request: ${DETAILS}77
    expect: 404
`;

const file = filesFor("compare");

let other: Running;
beforeEach(async () => {
  other = await startSimulator();
});

/** Compares a scenario with the other simulator, or with that at `url`. */
const compare = (scenario: string, words: string[] = [], url = other.url) => {
  const path = file("s.yaml", scenario);
  return run(["compare", path, "--against", url, "--token", "acme-token", ...words]);
};

it("ends with 1 and shows each difference, with earlier steps and a proposal", async () => {
  const notFound = { status: 422, body: { code: 7 } };
  const { url } = await startSimulator({ behaviour: { "threads.notFound": notFound } });
  const { code, out, err } = await compare(SCENARIO, ["--ignore", "body.isMessagingWindowOpen"], `${url}/`);
  expect([code, err]).toEqual([1, ""]);
  const path = file("s.yaml", SCENARIO);
  expect(out).toBe(`✗ Two threads  ${path}  2 calls compared, 1 differ
    ${path}:10:5  ${DETAILS}77
        status      simulator  404
                    other      422
        body.error  simulator  "Customer thread not found"
                    other      nothing
        body.code   simulator  nothing
                    other      7
        the simulator's response is decided by threads.notFound
        earlier steps that ran only on the simulator: The window closes (${path}:5:5)
    ${path}:10:5  ${DETAILS}77
        on the other side: ${DETAILS}77 did not respond as expected: it answered 422 ({"code":7})

With these behaviour values the simulator responds like ${url} (verified: no differences left):
Some of these calls followed steps that ran only on the simulator: check whether those are the reason.

threads.notFound: ${JSON.stringify(notFound)}
`);
});

it("reports a refused token, and proposes no behaviour for it", async () => {
  const first = `--token: ${other.url} refuses the token: 401 for ${DETAILS}9001 and 1 more\n`;
  expect(await compare(SCENARIO, ["--token", "expired"])).toEqual({ code: 2, out: "", err: first });
  const call = "request: GET /api/webhooks";
  const two = `token: acme-token\nsteps:\n  - ${call}\n  - ${call}\n    token: globex-token\n`;
  const second = await compare(two, ["--token-for", "globex-token=expired"]);
  expect(second).toEqual(refused(`--token-for globex-token: ${other.url} refuses the token: 401`));
  expect(second.err).not.toContain("expired");
  expect((await compare(two, ["--token-for", "globex-token=globex-token"])).code).toBe(0);
});

it("compares a 401 that the simulator answers too", async () => {
  const answer = { status: 401, body: { message: "who?" } };
  const { url } = await startSimulator({ set: { "auth.invalid": answer } });
  const unknown = "token: nobody\nsteps:\n  - request: GET /api/webhooks\n";
  const { code, out } = await compare(unknown, ["--token", "nobody"], url);
  expect([code, out]).toEqual([1, expect.stringContaining(`auth.invalid: ${JSON.stringify(answer)}`)]);
});

it("ends with 0 when they agree, with separate parameters too, and reports as JSON", async () => {
  const params = ["--param", "thread=9002", "--against-param", "thread=9004"];
  const { code, out } = await compare(SCENARIO, ["--ignore", "body.*", "--reporter", "json", ...params]);
  const none = { differences: [], notSent: [], failures: [], unexpected: [] };
  const scenario = { name: "Two threads", file: file("s.yaml", SCENARIO), ok: true, compared: 2, ...none };
  const comparison = { against: other.url, ok: true, scenarios: [scenario], proposal: null };
  expect([code, JSON.parse(out)]).toEqual([0, comparison]);
  const seen: { query: object }[] = (await other.control("GET /requests")).body;
  expect(seen.map(({ query }) => query)).toEqual([{ customerThreadId: "9004" }, { customerThreadId: "77" }]);
  expect((await compare(SCENARIO, ["--ignore", "body.*"])).out).toContain("agree.");
});

it("ends with 2 if the scenario fails, if nothing is compared, or if the other side does not answer", async () => {
  const { code, out } = await compare('thread: "9001"\nsteps:\n  - transfer: "4711"\n');
  expect([code, out]).toEqual([
    2,
    expect.stringMatching(/s\.yaml:3:5 {2}transfer: 4711\n {8}failed on the simulator: /),
  ]);
  const { err } = await compare("steps:\n  - log: nothing\n");
  expect(err).toBe("nothing was compared: no request reached both sides\n");
  const silent = await compare(SCENARIO, [], `http://127.0.0.1:${await freePort()}`);
  expect(silent).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^--against: http:\S+ does not respond: .*ECONNREFUSED/),
  });
});
