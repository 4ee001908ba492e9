import { describe, expect, test } from "vitest";
import { CERTIFICATE, KEY, OTHER_KEY } from "./pem.js";
import { linesOf } from "./resolve.js";

describe("an invalid flag is named", () => {
  test.each<[string[], string]>([
    [["--port", "abc"], 'must be an integer, but is "abc"'],
    [["--port", "70000"], "must be at most 65535, but is 70000"],
    [["--port=-1"], "must be at least 0, but is -1"],
    [["--port"], "needs a value"],
    [["--port", "--strict"], "needs a value"],
    [["--host", "http://x"], 'must be a host name or an IP address, but is "http://x"'],
    [["--control-token", "a b"], 'must be printable ASCII without spaces, but is "a b"'],
    [["--allow-host", "a", "--allow-host", "b/c"], 'must be a host name or an IP address, but is "b/c"'],
    [["--allow-outbound", "https://x"], 'must be a host name, an IP address or *, but is "https://x"'],
    [["--allow-outbound", "x.example:80"], 'must be a host name, an IP address or *, but is "x.example:80"'],
    [["--rewrite-host", "a"], 'must be FROM=TO, each a host or host:port, but is "a"'],
    [["--rewrite-host", "a=https://b"], 'must be FROM=TO, each a host or host:port, but is "a=https://b"'],
    [
      ["--clock", "noon"],
      'must be a date and time in ISO form (such as 2026-01-01T09:00:00Z), but is "noon"',
    ],
    [["--journal-limit", "0"], "must be at least 1, but is 0"],
    [["--memory", "much"], 'must be a size such as 512MiB or 2GiB, but is "much"'],
    [["--log-level", "loud"], 'must be one of debug, info, warn, error, silent, but is "loud"'],
    [["--log-format", "xml"], 'must be one of pretty, json, but is "xml"'],
    [["--strict=maybe"], 'must be true or false, but is "maybe"'],
    [["--set", "window.duration"], 'must be key=value, but is "window.duration"'],
    [["--set", "=1"], 'must be key=value, but is "=1"'],
    [["--port", "-1"], "must be at least 0, but is -1"],
    [["--port="], "needs a value"],
    [["--strict="], 'must be true or false, but is ""'],
    [["--port", "1", "--port"], "needs a value"],
    [
      ["--behaviour", "realistc"],
      'cannot read realistc: there is no such file (and it is not one of the profiles documented, realistic: did you mean "realistic"?)',
    ],
    [["--fault", "no.yaml"], "cannot read no.yaml: there is no such file"],
    [["--config", "no.yaml"], "cannot read no.yaml: there is no such file"],
    [["--tls-cert", "c.pem"], "needs --tls-key too"],
    [["--tls-key", "k.pem"], "needs --tls-cert too"],
    [["--webhook-ca", "no.pem"], "cannot read no.pem: there is no such file"],
  ])("%j: %s", async (words, message) => {
    expect(await linesOf(words)).toEqual([`${words[0]?.split("=")[0]}: ${message}`]);
  });

  test.each<[string[], string]>([
    [
      ["--set", "limits.rate={ requests: 0, per: 1m }"],
      "--set limits.rate: requests must be at least 1, but is 0",
    ],
    [["--set", "timestamps.unit=h"], '--set timestamps.unit: must be one of ms, s, but is "h"'],
    [["--prot", "1"], 'unknown option "--prot": did you mean "--port"?'],
    [["--datum", "x.json"], 'unknown option "--datum": did you mean "--data"?'],
    [["--no-strict"], 'unknown option "--no-strict": did you mean "--strict"?'],
    [["-p"], expect.stringMatching(/^unknown option "-p": known are --help, .* and \d+ more$/)],
    [["-p=80"], expect.stringMatching(/^unknown option "-p": known are --help, .* and \d+ more$/)],
    [["--datum=x.json"], 'unknown option "--datum": did you mean "--data"?'],
    [["--strict", "maybe"], 'unknown argument "maybe": messaging-sim help serve shows what it takes'],
    [["--", "--port"], 'unknown argument "--port": messaging-sim help serve shows what it takes'],
    [["-"], 'unknown argument "-": messaging-sim help serve shows what it takes'],
    [["extra"], 'unknown argument "extra": messaging-sim help serve shows what it takes'],
  ])("%j", async (words, line) => {
    expect(await linesOf(words)).toEqual([line]);
  });

  test("the nearest key of --set is named", async () => {
    const [line = ""] = await linesOf(["--set", "window.duratoin=24h"]);
    expect(line).toMatch(/^--set window\.duratoin: .*did you mean "window\.duration"\?$/);
  });

  test("invalid YAML behind --set is named", async () => {
    const [line = ""] = await linesOf(["--set", "limits.rate={ requests: 5"]);
    expect(line).toMatch(/^--set: limits\.rate: cannot be read as YAML: \S/);
  });
});

describe("an invalid variable is named", () => {
  test.each<[string, string, string]>([
    ["MESSAGING_SIM_PORT", "abc", 'must be an integer, but is "abc"'],
    ["MESSAGING_SIM_STRICT", "yes", 'must be true or false, but is "yes"'],
    ["MESSAGING_SIM_ALLOW_HOST", "a,b c", 'must be a host name or an IP address, but is "b c"'],
    ["MESSAGING_SIM_FAULT", "no.yaml", "cannot read no.yaml: there is no such file"],
    ["MESSAGING_SIM_CONFIG", "no.yaml", "cannot read no.yaml: there is no such file"],
  ])("%s=%s", async (variable, text, message) => {
    expect(await linesOf([], { env: { [variable]: text } })).toEqual([`${variable}: ${message}`]);
  });

  test("with the key of --set", async () => {
    const lines = await linesOf([], { env: { MESSAGING_SIM_SET: "delivery.attempts=0" } });
    expect(lines).toEqual(["MESSAGING_SIM_SET delivery.attempts: must be at least 1, but is 0"]);
  });
});

describe("an invalid config file", () => {
  test.each<[string, string, string[]]>([
    ["s.yaml", "port: x\n", ["1:7  port: must be an integer, but is a string"]],
    ["s.yaml", "- port\n", ["1:1  must be an object, but is an array"]],
    ["s.json", '{\n  "prot": 1\n}', ['2:3  prot: unknown option "prot": did you mean "port"?']],
    [
      "s.json",
      '{ "config": "x" }',
      [expect.stringMatching(/^1:3 {2}config: unknown option "config": it must be port, .* or log-format$/)],
    ],
    ["s.json", '{ "port": 1, "port": 2 }', ['1:14  port: duplicate key "port"']],
    ["s.yaml", "allow-host: sim.test\n", ["1:13  allow-host: must be an array, but is a string"]],
    ["s.yaml", "strict: yes\n", ["1:9  strict: must be true or false, but is a string"]],
    [
      "s.yaml",
      "set:\n  delivery.attempts: 0\n",
      ['2:22  set["delivery.attempts"]: must be at least 1, but is 0'],
    ],
    [
      "s.yaml",
      "port: 1\nhost: a b\nlog-level: loud\n",
      [
        '2:7  host: must be a host name or an IP address, but is "a b"',
        '3:12  log-level: must be one of debug, info, warn, error, silent, but is "loud"',
      ],
    ],
    ["s.yaml", "data-repair: true\n", ["1:14  data-repair: needs --data with the damaged folder"]],
    [
      "s.yaml",
      "bundle: b.json\nfixtures: f.json\n",
      ["2:11  fixtures: cannot be combined with a bundle, which has its own state"],
    ],
    ["s.yaml", "tls-cert: c.pem\n", ["1:11  tls-cert: needs --tls-key too"]],
    [
      "s.yaml",
      "port: 1\nfault:\n  - no.json\n",
      ["3:5  fault[0]: cannot read no.json: there is no such file"],
    ],
  ])("%s: %j", async (file, text, lines) => {
    const found = await linesOf(["--config", file], { files: { [file]: text } });
    expect(found.map((line) => line.split(`${file}:`)[1])).toEqual(lines);
  });

  test("with an invalid fault is refused with its place", async () => {
    const files = { "s.yaml": "faults:\n  - on: request\n    then: slw\n" };
    const [line = ""] = await linesOf(["--config=s.yaml"], { files });
    expect(line).toMatch(/^s\.yaml:3:11 {2}faults\[0\]\.then: must be .*slow/);
  });

  test("that is not YAML is refused with its place", async () => {
    const [line = ""] = await linesOf(["--config=s.yaml"], { files: { "s.yaml": "port: 1\nhost: [a\n" } });
    expect(line).toMatch(/^s\.yaml:\d+:\d+ {2}\S/);
  });
});

describe("files of behaviour and faults", () => {
  test("are refused with all problems and their places", async () => {
    const files = {
      "b.yaml": "timestamps.unit: s\nlimits.webhooks: -1\n",
      "f.yaml": "- on: request\n  then: unavailable\n- on: delivery\n  then: token-expired\n",
      "one.json": '{ "on": "request",\n"then": { "duplicate": 1 } }',
    };
    const words = ["--behaviour=b.yaml", "--fault=f.yaml", "--fault=one.json"];
    const lines = await linesOf(words, { files });
    expect(lines).toHaveLength(3);
    expect(lines).toContain('b.yaml:2:18  ["limits.webhooks"]: must be at least 0, but is -1');
    expect(lines).toContain('f.yaml:4:9  [1].then: "token-expired" applies to a request, not to a delivery');
    expect(lines).toContain("one.json:2:11  then.duplicate: applies to a delivery, not to a request");
  });
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
  expect(lines.join("\n")).toContain("and 29900 more");
});

const PEM = { "c.pem": CERTIFICATE, "k.pem": KEY, "other.pem": OTHER_KEY, "text.pem": "no PEM" };

test.each<[string[], string[]]>([
  [
    ["--self-signed", "--tls-cert=c.pem", "--tls-key=k.pem"],
    ["--self-signed: makes a certificate, so it cannot be used with --tls-cert"],
  ],
  [["--tls-cert=text.pem", "--tls-key=k.pem"], ["--tls-cert: text.pem contains no certificate in PEM"]],
  [["--tls-cert=c.pem", "--tls-key=c.pem"], ["--tls-key: c.pem contains no private key in PEM"]],
  [
    ["--tls-cert=c.pem", "--tls-key=other.pem"],
    ["--tls-key: other.pem is not the key of the certificate c.pem"],
  ],
  [["--tls-cert=no.pem", "--tls-key=k.pem"], ["--tls-cert: cannot read no.pem: there is no such file"]],
  [["--webhook-ca=text.pem"], ["--webhook-ca: text.pem contains no certificate in PEM"]],
])("invalid certificates: %j", async (words, lines) => {
  expect(await linesOf(words, { files: PEM })).toEqual(lines);
});
