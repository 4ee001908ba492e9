/** Command lines that cannot be used: each ends with exit code 2 and one line that names the word. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { LOCALES } from "../../src/cli/generate.js";
import { keysOf } from "../../src/kernel/objects.js";
import { either } from "../../src/kernel/words.js";
import { filesFor } from "../support/folder.js";
import { serverOf } from "../support/server.js";
import { refused, run } from "./terminal.js";

const DOCS = join(import.meta.dirname, "..", "..", "scenarios", "message-event.yaml");
const COMPARE = `compare ${DOCS} --token k`;
const NOBODY = "http://127.0.0.1:9";
const file = filesFor("refusals");

it.each([
  ["serv", 'unknown command "serv": did you mean "serve"?\n'],
  ["help serv", 'unknown command "serv": did you mean "serve"?\n'],
  ["xyzzy", 'unknown command "xyzzy": messaging-sim help lists the commands\n'],
  ["constructor", 'unknown command "constructor": messaging-sim help lists the commands\n'],
  ["say --jsn", 'unknown option "--jsn": did you mean "--json"?\n'],
  ["threads --json=maybe", '--json: must be true or false, but is "maybe"\n'],
  ["threads --url", "--url: needs a value\n"],
  ["fault explode", "preset: must be one of rate-limited, unavailable, slow, "],
  ["fault slow --times some", "--times: must be an integer"],
  ["env --format bash", '--format: must be one of sh, fish, powershell, dotenv, json, but is "bash"\n'],
  ["schema x --write", 'unknown option "--write": it must be --help or --version\n'],
  ["check", "check needs <file..>"],
  ["schema confg", 'name: unknown schema "confg": did you mean "config"?\n'],
  ["schema config extra", 'unknown argument "extra": messaging-sim help schema shows what it takes\n'],
  ["advance -1h", 'by: must be a duration with its unit (such as "90s" or "24h"'],
  ["window 9001 ajar", 'state: must be one of open, closed, but is "ajar"\n'],
  ["emit typing", 'event: must be one of message, transfer, but is "typing"\n'],
  ["emit message text", 'fields: must be name=value, but is "text"\n'],
  ["connect nowhere", "must be an http or https URL"],
  ["say 9001", "say needs <thread> <text..>"],
  ["reset --url nowhere", "--url: must be an http or https URL"],
  [`reset --url ${NOBODY}`, `no simulator answers at ${NOBODY}: `],
  [`state --url ${NOBODY}`, `no simulator answers at ${NOBODY}: `],
  [`mcp --url ${NOBODY}`, `no simulator answers at ${NOBODY}: `],
  ["serve --data valkey:127.0.0.1:6379", "--data: valkey:127.0.0.1:6379 is neither a folder nor a server"],
  ["coverage --min 101", "--min: must be a number from 0 to 100"],
  ["run", "run needs <scenario..>"],
  ["run nowhere.yaml", "nowhere.yaml  there is no such file\n"],
  ["run x.yaml --reporter xml", '--reporter: unknown reporter "xml"'],
  ["run x.yaml --jobs 0", '--jobs: must be a positive number, but is "0"\n'],
  ["run x.yaml --exec ", "--exec: needs a value"],
  ["run x.yaml --param a", '--param: must be name=value, but is "a"\n'],
  ["run x.yaml --exec true --within soon", "--within: must be a duration such as 30s"],
  [COMPARE, "--against: is missing: the address of the other server\n"],
  [`compare ${DOCS} --against http://127.0.0.1:1`, "--token: is missing: "],
  [`${COMPARE} --against http://x --param b=1`, '--param: unknown parameter "b"'],
  ["generate --locale tlh", `--locale: unknown locale "tlh": it must be ${either(keysOf(LOCALES))}\n`],
  ["generate --threads -1", '--threads: must be a whole number from 0 to 100000, but is "-1"\n'],
  ["generate --threads x", '--threads: must be a whole number from 0 to 100000, but is "x"\n'],
  ["generate --customers 0", '--customers: must be a whole number from 1 to 100000, but is "0"\n'],
  [
    "--port=0 --host=192.0.2.1 --control-token=off",
    "--host: cannot listen on 192.0.2.1: not an address of this machine\n",
  ],
])("%s", async (line, problem) => {
  const { code, out, err } = await run(line.split(" "));
  expect([code, out, err.slice(0, problem.length)]).toEqual([2, "", problem]);
  expect(err.trimEnd().split("\n")).toHaveLength(1);
});

it("a port in use", async () => {
  const { port } = new URL(await serverOf(() => {}));
  const problem = `--port: ${port} is in use on 127.0.0.1: choose another, or 0 for a free one\n`;
  expect(await run(["serve", "--port", port])).toEqual(refused(problem));
});

it("a value in a config file", async () => {
  const [place, kinds] = ["ftp://me:secret@x", "(valkey, valkeys, redis, rediss)"];
  const message = `ftp://me:••••et@x is neither a folder nor a server address ${kinds}\n`;
  const config = file("c.yaml", `port: 0\ndata: ${place}\n`);
  expect(await run(["serve", "--port=0", "--data", place])).toEqual(refused(`--data: ${message}`));
  expect(await run(["serve", "--config", config])).toEqual(refused(`${config}:2:7  data: ${message}`));
});

it("records of a fixture, with a line for each", async () => {
  const path = file("fixture.json", '{ "organizations": [\n{ "id": "1" },\n{ "id": "01", "name": "B" }] }');
  const { code, err } = await run(["--port=0", "--fixtures", path]);
  expect([code, ...err.trimEnd().split("\n")]).toEqual([
    2,
    `${path}:2:1  organizations[0].name: is missing`,
    expect.stringContaining(`${path}:3:9  organizations[1].id: must be digits`),
  ]);
});
