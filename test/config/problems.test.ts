import { expect, test } from "vitest";
import { certificateFor } from "../../src/kernel/http/certificate.js";
import { linesOf } from "./resolve.js";

const HOST = "must be a host name or an IP address";
const OUTBOUND = "must be a host name, an IP address or *";
const REWRITE = "must be FROM=TO, each a host or host:port";
const LEVELS = "must be one of debug, info, warn, error, silent";
const NO_PROFILE = "it is not one of the profiles documented, realistic";
const ISO = "must be a date and time in ISO form (such as 2026-01-01T09:00:00Z)";
const SEE_HELP = "messaging-sim help serve shows what it takes";

const like = (told: string | RegExp) => (typeof told === "string" ? told : expect.stringMatching(told));

test.each([
  ["--port abc", 'must be an integer, but is "abc"'],
  ["--port 70000", "must be at most 65535, but is 70000"],
  ["--port -1", "must be at least 0, but is -1"],
  ["--port", "needs a value"],
  ["--port 1 --port", "needs a value"],
  ["--port --strict", "needs a value"],
  ["--host http://x", `${HOST}, but is "http://x"`],
  ["--allow-host a --allow-host b/c", `${HOST}, but is "b/c"`],
  ["--allow-outbound https://x", `${OUTBOUND}, but is "https://x"`],
  ["--allow-outbound x.example:80", `${OUTBOUND}, but is "x.example:80"`],
  ["--rewrite-host a", `${REWRITE}, but is "a"`],
  ["--rewrite-host a=https://b", `${REWRITE}, but is "a=https://b"`],
  ["--clock noon", `${ISO}, but is "noon"`],
  ["--journal-limit 0", "must be at least 1, but is 0"],
  ["--log-level loud", `${LEVELS}, but is "loud"`],
  ["--log-format xml", 'must be one of pretty, json, but is "xml"'],
  ["--strict=maybe", 'must be true or false, but is "maybe"'],
  ["--strict=", 'must be true or false, but is ""'],
  ["--set window.duration", 'must be key=value, but is "window.duration"'],
  ["--set =1", 'must be key=value, but is "=1"'],
  ["--behaviour nope", `cannot read nope: there is no such file (and ${NO_PROFILE})`],
  ["--fault no.yaml", "cannot read no.yaml: there is no such file"],
  ["--config no.yaml", "cannot read no.yaml: there is no such file"],
  ["--tls-cert c.pem", "needs --tls-key too"],
  ["--tls-key k.pem", "needs --tls-cert too"],
  ["--webhook-ca no.pem", "cannot read no.pem: there is no such file"],
])("an invalid flag is named: %s: %s", async (line, message) => {
  expect(await linesOf(line.split(" "))).toEqual([`${/^--[\w-]+/.exec(line)}: ${message}`]);
});

test.each([
  ["--set timestamps.unit=h", '--set timestamps.unit: must be one of ms, s, but is "h"'],
  ['--set limits.rate={"requests":0,"per":"1m"}', "--set limits.rate: requests must be at least 1, but is 0"],
  ["--set limits.rate={requests:5", /^--set: limits\.rate: cannot be read as YAML: \S/],
  ["--set window.duratoin=24h", /^--set window\.duratoin: .*did you mean "window\.duration"\?$/],
  ["--behaviour realistc", /realistic: did you mean "realistic"\?\)$/],
  ["--prot 1", 'unknown option "--prot": did you mean "--port"?'],
  ["--datum x.json", 'unknown option "--datum": did you mean "--data"?'],
  ["--no-strict", 'unknown option "--no-strict": did you mean "--strict"?'],
  ["-p=80", /^unknown option "-p": it must be --help, .* or --config$/],
  ["-p", /^unknown option "-p": it must be --help, .* or --config$/],
  ["--strict maybe", `unknown argument "maybe": ${SEE_HELP}`],
  ["-- --port", `unknown argument "--port": ${SEE_HELP}`],
  ["-", `unknown argument "-": ${SEE_HELP}`],
  ["extra", `unknown argument "extra": ${SEE_HELP}`],
])("an invalid flag is named: %s: %s", async (line, told) => {
  expect(await linesOf(line.split(" "))).toEqual([like(told)]);
});

test.each([
  ["MESSAGING_SIM_PORT", "abc", ': must be an integer, but is "abc"'],
  ["MESSAGING_SIM_STRICT", "yes", ': must be true or false, but is "yes"'],
  ["MESSAGING_SIM_ALLOW_HOST", "a,b c", `: ${HOST}, but is "b c"`],
  ["MESSAGING_SIM_CONTROL_TOKEN", "a b", ': must be printable ASCII without spaces, but is "a b"'],
  ["MESSAGING_SIM_CONFIG", "no.yaml", ": cannot read no.yaml: there is no such file"],
  ["MESSAGING_SIM_SET", "delivery.attempts=0", " delivery.attempts: must be at least 1, but is 0"],
])("an invalid variable is named: %s=%s", async (variable, text, message) => {
  expect(await linesOf([], { env: { [variable]: text } })).toEqual([`${variable}${message}`]);
});

test.each<[file: string, text: string, ...problems: (string | RegExp)[]]>([
  ["s.yaml", "port: x\n", "1:7  port: must be an integer, but is a string"],
  ["s.yaml", "port: 1\nhost: [a\n", /^\d+:\d+ {2}\S/],
  ["s.yaml", "- port\n", "1:1  must be an object, but is an array"],
  ["s.json", '{\n  "prot": 1\n}', '2:3  prot: unknown option "prot": did you mean "port"?'],
  ["s.json", '{"config":1}', /^1:2 {2}config: unknown option "config": it must be port, .* or log-format$/],
  ["s.json", '{ "port": 1, "port": 2 }', '1:14  port: duplicate key "port"'],
  ["s.yaml", "allow-host: sim.test\n", "1:13  allow-host: must be an array, but is a string"],
  ["s.yaml", "strict: yes\n", "1:9  strict: must be true or false, but is a string"],
  ["s.yaml", "set: { delivery.attempts: 0 }", '1:27  set["delivery.attempts"]: must be at least 1, but is 0'],
  [
    "s.yaml",
    "host: a b\nlog-level: x\n",
    `1:7  host: ${HOST}, but is "a b"`,
    `2:12  log-level: ${LEVELS}, but is "x"`,
  ],
  ["s.yaml", "tls-cert: c.pem\n", "1:11  tls-cert: needs --tls-key too"],
  ["s.yaml", "fault:\n  - no.json\n", "2:5  fault[0]: cannot read no.json: there is no such file"],
  ["s.yaml", "faults:\n  - on: request\n    then: slw\n", /^3:11 {2}faults\[0\]\.then: must be .*slow/],
])("an invalid config file %s: %j", async (file, text, ...problems) => {
  const found = await linesOf(["--config", file], { files: { [file]: text } });
  expect(found.map((line) => line.split(`${file}:`)[1])).toEqual(problems.map(like));
});

test("files of behaviour and faults are refused with all problems and their places", async () => {
  const files = {
    "b.yaml": "timestamps.unit: s\nlimits.webhooks: -1\n",
    "f.yaml": "- on: request\n  then: unavailable\n- on: delivery\n  then: token-expired\n",
    "one.json": '{ "on": "request",\n"then": { "duplicate": 1 } }',
  };
  const lines = await linesOf(["--behaviour=b.yaml", "--fault=f.yaml", "--fault=one.json"], { files });
  expect(lines.sort()).toEqual([
    'b.yaml:2:18  ["limits.webhooks"]: must be at least 0, but is -1',
    'f.yaml:4:9  [1].then: "token-expired" applies to a request, not to a delivery',
    "one.json:2:11  then.duplicate: applies to a delivery, not to a request",
  ]);
});

test("all problems of flags, environment and file are listed at once", async () => {
  const env = { MESSAGING_SIM_SEED: "1", MESSAGING_SIM_HOST: "a b", MESSAGING_SIM_PORT: "x" };
  const files = { "s.yaml": "journal-limit: 0\n" };
  const lines = await linesOf(["--config=s.yaml", "--seed="], { env, files });
  expect(lines).toEqual([
    "--seed: needs a value",
    'MESSAGING_SIM_PORT: must be an integer, but is "x"',
    'MESSAGING_SIM_HOST: must be a host name or an IP address, but is "a b"',
    "s.yaml:1:16  journal-limit: must be at least 1, but is 0",
  ]);
});

test("of many unknown options, the first hundred are listed", async () => {
  const text = JSON.stringify(Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`prot${i}`, i])));
  const lines = await linesOf(["--config", "c.json"], { files: { "c.json": text } });
  expect(lines).toHaveLength(101);
  expect(lines.join("\n")).toContain("and more, which are not listed");
});

const [mine, other] = [certificateFor(["a"], 0).tls, certificateFor(["a"], 0).tls];
const PEM = { "c.pem": mine.cert, "k.pem": mine.key, "other.pem": other.key, "text.pem": "no PEM" };

test.each([
  [
    "--self-signed --tls-cert=c.pem --tls-key=k.pem",
    "--self-signed: makes a certificate, so it cannot be used with --tls-cert",
  ],
  ["--tls-cert=text.pem --tls-key=k.pem", "--tls-cert: text.pem contains no certificate in PEM"],
  ["--tls-cert=c.pem --tls-key=c.pem", "--tls-key: c.pem contains no private key in PEM"],
  ["--tls-cert=c.pem --tls-key=other.pem", "--tls-key: other.pem is not the key of the certificate c.pem"],
  ["--tls-cert=no.pem --tls-key=k.pem", "--tls-cert: cannot read no.pem: there is no such file"],
  ["--webhook-ca=text.pem", "--webhook-ca: text.pem contains no certificate in PEM"],
])("invalid certificates: %s: %s", async (line, told) => {
  expect(await linesOf(line.split(" "), { files: PEM })).toEqual([told]);
});
