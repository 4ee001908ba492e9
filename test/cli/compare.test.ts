import { beforeAll, describe, expect, it } from "vitest";
import { filesFor } from "../support/folder.js";
import { freePort } from "../support/free-port.js";
import { startSimulator } from "../support/simulator.js";
import { run } from "./terminal.js";

const SCENARIO = `name: Threads that are there, and one that is not
token: acme-token
params: { thread: "9001" }
steps:
  - window: { thread: "9001", open: false }
  - request: GET /api/get-customer-thread-details?customerThreadId=\${param:thread}
    expect: 200
  - request: GET /api/get-customer-thread-details?customerThreadId=77
    expect: 404
`;

const file = filesFor("compare");
let path = "";
beforeAll(() => {
  path = file("threads.yaml", SCENARIO);
});

const compare = (url: string, ...words: string[]) =>
  run(["compare", path, "--against", url, "--token", "acme-token", ...words]);

describe("compare as a command", () => {
  it("ends with 1 and shows each difference, with earlier steps and a proposal", async () => {
    const notFound = { status: 422, body: { code: 7 } };
    const other = await startSimulator({ behaviour: { "threads.notFound": notFound } });
    const { code, out, err } = await compare(`${other.url}/`, "--ignore", "body.isMessagingWindowOpen");
    expect({ code, err }).toEqual({ code: 1, err: "" });
    expect(out).toBe(
      [
        `✗ Threads that are there, and one that is not  ${path}  2 calls compared, 1 differ`,
        `    ${path}:8:5  GET /api/get-customer-thread-details?customerThreadId=77`,
        "        status      simulator  404",
        "                    other      422",
        '        body.error  simulator  "Customer thread not found"',
        "                    other      nothing",
        "        body.code   simulator  nothing",
        "                    other      7",
        "        the simulator's response is decided by threads.notFound",
        `        earlier steps that ran only on the simulator: window: open false (${path}:5:5)`,
        `    ${path}:8:5  GET /api/get-customer-thread-details?customerThreadId=77`,
        '        on the other side: GET /api/get-customer-thread-details?customerThreadId=77 did not respond as expected: it answered 422 ({"code":7})',
        "",
        `With these behaviour values the simulator responds like ${other.url} (verified: no differences left):`,
        "Some of these calls followed steps that ran only on the simulator: check whether those are the reason.",
        "",
        `threads.notFound: ${JSON.stringify(notFound)}`,
        "",
      ].join("\n"),
    );
  });

  it("reports a refused token, and proposes no behaviour for it", async () => {
    const other = await startSimulator();
    const refused = await run(["compare", path, "--against", other.url, "--token", "expired"]);
    expect(refused).toEqual({
      code: 2,
      out: "",
      err: `--token: ${other.url} refuses the token: 401 for GET /api/get-customer-thread-details?customerThreadId=9001 and 1 more\n`,
    });
    const call = "request: GET /api/webhooks";
    const two = file(
      "two.yaml",
      `token: acme-token\nsteps:\n  - ${call}\n  - ${call}\n    token: globex-token\n`,
    );
    const against = ["compare", two, "--against", other.url, "--token", "acme-token"];
    const second = await run([...against, "--token-for", "globex-token=expired"]);
    expect([second.code, second.out]).toEqual([2, ""]);
    expect(second.err).toContain(`--token-for globex-token: ${other.url} refuses the token: 401`);
    expect(second.err).not.toContain("expired");
    expect((await run([...against, "--token-for", "globex-token=globex-token"])).code).toBe(0);
  });

  it("compares a 401 that the simulator answers too", async () => {
    const other = await startSimulator({
      set: { "auth.invalid": { status: 401, body: { message: "who?" } } },
    });
    const unknown = file("unknown.yaml", "token: nobody\nsteps:\n  - request: GET /api/webhooks\n");
    const { code, out } = await run(["compare", unknown, "--against", other.url, "--token", "nobody"]);
    expect(code).toBe(1);
    expect(out).toContain('auth.invalid: {"status":401,"body":{"message":"who?"}}');
  });

  it("ends with 0 when they agree, and reports as JSON", async () => {
    const { url: against } = await startSimulator();
    const { code, out } = await compare(
      ...([against, "--ignore", "body.isMessagingWindowOpen", "--reporter", "json"] as const),
    );
    expect(code).toBe(0);
    const scenario = {
      name: "Threads that are there, and one that is not",
      file: path,
      ok: true,
      compared: 2,
    };
    const none = { differences: [], notSent: [], failures: [], unexpected: [] };
    expect(JSON.parse(out)).toEqual({
      ...{ against, ok: true, scenarios: [{ ...scenario, ...none }], proposal: null },
    });
    expect((await compare(against, "--ignore", "body.*")).out).toContain("agree.");
  });

  it("takes separate parameters for the other side", async () => {
    const other = await startSimulator();
    const own = ["--param", "thread=9002", "--against-param", "thread=9004", "--ignore", "body.*"];
    await compare(other.url, ...own);
    const seen: { query: object }[] = (await other.control("GET /requests")).body;
    expect(seen.map(({ query }) => query)).toEqual([
      { customerThreadId: "9004" },
      { customerThreadId: "77" },
    ]);
  });

  it("ends with 2 when the scenario fails on the simulator", async () => {
    const other = await startSimulator();
    const bad = file("bad.yaml", 'thread: "9001"\nsteps:\n  - transfer: "4711"\n');
    const { code, out } = await run(["compare", bad, "--against", other.url, "--token", "k"]);
    expect(code).toBe(2);
    expect(out).toContain(`${bad}:3:5  transfer: 4711\n        failed on the simulator: `);
  });

  it("ends with 2 when there is nothing to compare", async () => {
    const other = await startSimulator();
    const idle = file("idle.yaml", "steps:\n  - log: nothing\n");
    const { code, err } = await run(["compare", idle, "--against", other.url, "--token", "k"]);
    expect({ code, err }).toEqual({ code: 2, err: "nothing was compared: no request reached both sides\n" });
  });

  it("ends with 2 if the other side does not answer", async () => {
    const { code, err } = await compare(`http://127.0.0.1:${await freePort()}`);
    expect(code).toBe(2);
    expect(err).toMatch(/^--against: http:\S+ does not respond: .*ECONNREFUSED/);
  });

  it.each([
    [["--token", "k"], /^--against: is missing: the address of the other server\n$/],
    [["--against", "http://127.0.0.1:1"], /^--token: is missing: /],
    [["--against", "example", "--token", "k"], /^--against: must be an http or https URL such as /],
    [["--against", "http://x", "--token", "k", "--reporter", "tap"], /^--reporter: unknown reporter "tap"/],
    [["--against", "http://x", "--token", "k", "--param", "a"], /^--param: must be name=value, but is "a"/],
    [["--against", "http://x", "--token", "k", "--timeout", "x"], /^--timeout: must be a duration/],
    [["--against", "http://x", "--token", "k", "--param", "b=1"], /unknown parameter "b"/],
  ])("sends nothing and ends with 2: %j", async (words, message) => {
    const { code, out, err } = await run(["compare", path, ...words]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(message);
  });
});
