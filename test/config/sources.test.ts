import { expect, test } from "vitest";
import { OPTION_NAMES, type OptionName, variableOf } from "../../src/server/config/options.js";
import { optionsOf, type Surroundings } from "./resolve.js";

const FAULT = '{ "on": "request", "then": "unavailable" }';
const FILES = { "b.yaml": "window.duration: 1h\n", "f.json": FAULT };

/** An option as a flag or variable, as YAML in a config file, and resolved. */
const CASES: readonly [name: OptionName, text: string, yaml: string, resolved: object][] = [
  ["port", "0", "0", { port: 0 }],
  ["host", "localhost", "localhost", { host: "localhost" }],
  ["control-token", "secret", "secret", { controlToken: "secret" }],
  ["control-token", "off", "off", { controlToken: false }],
  ["allow-host", "sim.test", "[sim.test]", { allowHosts: ["sim.test"] }],
  ["fixtures", "a/b.json", "a/b.json", { fixtures: "a/b.json" }],
  ["fixtures", "empty", "empty", { fixtures: "empty" }],
  ["data", "a/b", "a/b", { data: "a/b" }],
  ["durability", "strict", "strict", { durability: "strict" }],
  ["seed", "7", "7", { seed: 7 }],
  ["seed", "monday", "monday", { seed: "monday" }],
  ["clock", "2026-01-01T09:00:00Z", "2026-01-01T09:00:00Z", { clock: "2026-01-01T09:00:00Z" }],
  ["behaviour", "realistic", "realistic", { behaviour: "realistic" }],
  ["behaviour", "b.yaml", "b.yaml", { behaviour: { "window.duration": "1h" } }],
  ["set", "window.duration=24h", "{ window.duration: 24h }", { set: { "window.duration": "24h" } }],
  ["strict", "true", "true", { strict: true }],
  ["fault", "f.json", "[f.json]", { faults: [{ on: "request", then: "unavailable" }] }],
  ["allow-outbound", "*", '["*"]', { allowOutbound: ["*"] }],
  ["rewrite-host", "a=b.example", "[a=b.example]", { rewriteHosts: [{ from: "a", to: "b.example" }] }],
  ["webhook-insecure-tls", "true", "true", { webhookInsecureTls: true }],
  ["journal-limit", "50", "50", { journalLimit: 50 }],
];

const STANDARD = { port: 4020, host: "127.0.0.1" };

const expectOptions = async (words: string[], surroundings: Surroundings, expected: object) =>
  expect((await optionsOf(words, surroundings)).options).toEqual({ ...STANDARD, ...expected });

test.each(CASES)(
  "%s: as a flag %s, a variable and, in a config file, %s",
  async (name, text, yaml, resolved) => {
    const files = { ...FILES, "sim.yaml": `${name}: ${yaml}\n` };
    const isSwitch = ["strict", "webhook-insecure-tls"].includes(name);
    const apart = isSwitch ? [`--${name}`] : [`--${name}`, text];
    for (const words of [apart, [`--${name}=${text}`], ["--config", "sim.yaml"]])
      await expectOptions(words, { files }, resolved);
    await expectOptions([], { env: { [variableOf(name)]: text }, files }, resolved);
  },
);

test("each option is tested here or in another file", () => {
  const elsewhere = "tls-cert tls-key self-signed webhook-ca config faults log-level log-format watch";
  const tried = [...CASES.map(([name]) => name), ...elsewhere.split(" ")];
  expect(new Set(tried)).toEqual(new Set(OPTION_NAMES));
});

const setTo = (webhooks: number, textLength: number, attempts: number) => ({
  set: { "limits.webhooks": webhooks, "limits.textLength": textLength, "delivery.attempts": attempts },
});

test("precedence: a flag wins over a variable, and both over the config file", async () => {
  const file = JSON.stringify({ port: 1, "allow-host": ["file"], ...setTo(1, 1, 1) });
  const env = {
    MESSAGING_SIM_PORT: "2",
    MESSAGING_SIM_ALLOW_HOST: "a, b",
    MESSAGING_SIM_SET: "limits.webhooks=2,limits.textLength=2",
  };
  const words = ["--config", "s.yaml"];
  const flags = ["--port", "3", "--allow-host", "flag", "--set", "limits.webhooks=3", ...words];
  const [files, none] = [{ "s.yaml": file }, { "s.yaml": "# nothing\n" }];
  const byFlags = { port: 3, allowHosts: ["flag"] };
  await expectOptions(words, { env, files }, { port: 2, allowHosts: ["a", "b"], ...setTo(2, 2, 1) });
  await expectOptions(flags, { env, files }, { ...byFlags, ...setTo(3, 2, 1) });
  await expectOptions(flags, { files }, { ...byFlags, ...setTo(3, 1, 1) });
  const set = { "limits.webhooks": 3, "limits.textLength": 2 };
  await expectOptions(flags, { env, files: none }, { ...byFlags, set });
});

test("precedence: a switch can be turned off", async () => {
  const env = { MESSAGING_SIM_STRICT: "1" };
  await expectOptions([], { env }, { strict: true });
  await expectOptions(["--strict=false"], { env }, { strict: false });
  await expectOptions(["--strict", "false"], { env }, { strict: false });
});

test("precedence: the config file can be named in the environment, and the flag wins", async () => {
  const files = { "env.yaml": "port: 1", "flag.yaml": "port: 2" };
  const env = { MESSAGING_SIM_CONFIG: "env.yaml" };
  await expectOptions([], { env, files }, { port: 1 });
  await expectOptions(["--config=flag.yaml"], { env, files }, { port: 2 });
});

test("precedence: of a repeated flag the last value counts, of a list all values", async () => {
  const { options } = await optionsOf(["--port=1", "--port=2", "--allow-host=a", "--allow-host=b"]);
  expect(options).toMatchObject({ port: 2, allowHosts: ["a", "b"] });
});

test("precedence: an empty variable counts as unset", async () => {
  const env = { MESSAGING_SIM_PORT: "", MESSAGING_SIM_SET: " " };
  const { options, log } = await optionsOf([], { env });
  expect([options, log]).toEqual([STANDARD, { level: "info", format: "pretty" }]);
});

test.each([
  ["window.duration=24h", { "window.duration": "24h" }],
  ["window.duration = null", { "window.duration": null }],
  ["window.duration=90000", { "window.duration": 90_000 }],
  ["delivery.backoff=[1m, 5m]", { "delivery.backoff": ["1m", "5m"] }],
  ["limits.rate={ requests: 5, per: 1m }", { "limits.rate": { requests: 5, per: "1m" } }],
  ["auth.missing={ status: 403, body: 'a=b' }", { "auth.missing": { status: 403, body: "a=b" } }],
])("--set %s", async (text, set) => {
  expect((await optionsOf(["--set", text])).options.set).toEqual(set);
  expect((await optionsOf([], { env: { MESSAGING_SIM_SET: text } })).options.set).toEqual(set);
});

test.each([
  ["limits.webhooks=1,limits.textLength=2", { "limits.webhooks": 1, "limits.textLength": 2 }],
  [
    "limits.webhooks=1\ndelivery.backoff=[1s,\n2s], limits.rate={ requests: 5, per: 1m }\n",
    { "limits.webhooks": 1, "delivery.backoff": ["1s", "2s"], "limits.rate": { requests: 5, per: "1m" } },
  ],
])("--set several in a variable: %j", async (text, set) => {
  expect((await optionsOf([], { env: { MESSAGING_SIM_SET: text } })).options.set).toEqual(set);
});

test("files that options name are relative to the config file that names them", async () => {
  const files = {
    "etc/sim.yaml": "fixtures: data/acme.json\nbehaviour: b.yaml\nfault: [f.json, /abs/f.yaml]\n",
    "etc/b.yaml": "$schema: x\nlimits.webhooks: 1",
    "etc/f.json": `[${FAULT}, ${FAULT}]`,
    "/abs/f.yaml": "on: delivery\nthen: slow",
  };
  const { options } = await optionsOf(["--config", "etc/sim.yaml"], { files });
  expect(options.fixtures).toBe("etc/data/acme.json");
  expect(options.behaviour).toEqual({ "limits.webhooks": 1 });
  expect(options.faults?.map(({ on }) => on)).toEqual(["request", "request", "delivery"]);
});

test("files that options name inline faults of a config file come before those of files", async () => {
  const files = { "s.yaml": "faults: [{ on: delivery, then: slow }]\n", "f.json": FAULT };
  const { options } = await optionsOf(["--config=s.yaml", "--fault=f.json"], { files });
  expect(options.faults?.map(({ then }) => then)).toEqual(["slow", "unavailable"]);
});

test("unknown variables are reported, except those of other programs", async () => {
  const others = ["URL", "TOKEN", "INTERCEPT", "COVERAGE"].map((name) => [`MESSAGING_SIM_${name}`, "1"]);
  const env = { MESSAGING_SIM_PROT: "1", HOME: "z", ...Object.fromEntries(others) };
  expect((await optionsOf([], { env })).notes).toEqual([
    "ignored the unknown environment variable MESSAGING_SIM_PROT: did you mean MESSAGING_SIM_PORT?",
  ]);
});
