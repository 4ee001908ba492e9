/** What an installation promises on every Node: its command, and the library by both ways of loading. */
import { type SpawnOptionsWithoutStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { type Consumer, ROOT } from "./consumer.js";

const USE = `
  async function use({ createSimulator }, { SimClient }) {
    const sim = await createSimulator();
    const client = new SimClient({ url: sim.url });
    await client.customerSays("9001", "Hello");
    await client.idle();
    console.log(JSON.stringify((await client.deliveries()).map(({ status }) => status)));
    console.log(process.versions.node);
    await sim.close();
  }`;
/** A program that uses the package, by either way of loading it. It prints how its deliveries ended. */
export const WAYS = {
  "use.mjs": `
    import { createSimulator } from "messaging-sim";
    import { SimClient } from "messaging-sim/client";
    await use({ createSimulator }, { SimClient });${USE}`,
  "use.cjs": `use(require("messaging-sim"), require("messaging-sim/client"));${USE}`,
};

/** Says for each entry point whether both ways load the same. */
const SAME = `
  import { createRequire } from "node:module";
  const require = createRequire(import.meta.url);
  for (const name of process.argv.slice(2)) {
    const { default: _, ...required } = require(name);
    const imported = await import(name);
    const names = Object.keys(required).filter((key) => key !== "__esModule");
    console.log(name, names.every((key) => imported[key] === required[key]), Object.keys(imported).join());
  }`;

export const COMMAND = "node_modules/messaging-sim/dist/cli/main.js";
const { engines, exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
/** The entries other than the command. */
const ENTRIES = Object.keys(exports).filter((name) => name !== "./package.json");

/** What only loads in its runner, where runners.ts loads it. */
const IN_ITS_RUNNER = ["./jest", "./playwright", "./testcontainers", "./vitest"];

/** An unchanged program, whose calls are intercepted: by fetch and by node:https. */
const CALLING = `
  const { request } = require("node:https");
  const headers = { token: "acme-token", "content-type": "application/json" };
  fetch("https://api.example/api/webhooks/", { headers }).then(({ status }) => {
    const call = request("https://api.example/api/send-message-to-customer-thread", { method: "POST", headers });
    call.on("response", (response) => console.log(status, response.statusCode, response.resume() && ""));
    call.end(JSON.stringify({ customerThreadId: "9001", text: "From an unchanged program" }));
  });`;

/** Starts a program that serves. `endsWell` expects that it ends on SIGTERM, and that it never complained. */
export async function serving(program: string, words: readonly string[], options: SpawnOptionsWithoutStdio) {
  const child = spawn(program, words, options);
  let complaints = "";
  child.stderr.on("data", (chunk) => {
    complaints += chunk;
  });
  const ended = once(child, "close");
  const [ready] = await Promise.race([once(createInterface(child.stdout), "line"), ended]);
  const [, url = ""] = /^messaging-sim ready at (\S+)$/.exec(String(ready)) ?? [];
  expect(url, `${ready}\n${complaints}`).not.toBe("");
  const endsWell = async () => {
    child.kill("SIGTERM");
    expect([...(await ended), complaints]).toEqual([0, null, ""]);
  };
  return { url, endsWell };
}

type OnNode = () => Consumer | Promise<Consumer>;

/** Declares them for a Node, whose version is that of `consumer`. */
export function provesInstallation(version: string, consumer: OnNode): void {
  it("starts from its command, serves its fixture and its dashboard, and ends on SIGTERM", async () => {
    const { folder, environment } = await consumer();
    const command = join(folder, "node_modules/.bin/messaging-sim");
    const { url, endsWell } = await serving(command, ["--port", "0"], { cwd: folder, env: environment });
    const headers = { token: "acme-token", "content-type": "application/json" };
    const details = `${url}/api/get-customer-thread-details?customerThreadId=9001`;
    expect(await (await fetch(details, { headers })).json()).toEqual({
      customerChannel: "WHATSAPP",
      status: "waiting",
      isMessagingWindowOpen: true,
    });
    const page = await fetch(`${url}/__sim/ui/`);
    expect(`${page.status} ${page.headers.get("content-type")}`).toContain("200 text/html");
    await endsWell();
  });

  it.each(Object.keys(WAYS))("is a library by import and by require: %s", async (file) => {
    const { node, write } = await consumer();
    await write(WAYS);
    expect(await node(file)).toBe(`["delivered"]\n${version}\n`);
  });

  it("is one and the same by import and by require, whatever it exports", async () => {
    const { write, nodeWith } = await consumer();
    expect(ENTRIES).toEqual(expect.arrayContaining(IN_ITS_RUNNER));
    const names = ENTRIES.filter((path) => !IN_ITS_RUNNER.includes(path)).map((path) =>
      path.replace(".", "messaging-sim"),
    );
    await write({ "same.mjs": SAME });
    const flags = ["--disable-warning=ExperimentalWarning", "same.mjs"];
    // `messaging-sim/intercept` does not load where it has nothing to do.
    const output = await nodeWith({ MESSAGING_SIM_INTERCEPT: "api.example" }, ...flags, ...names);
    const lines = output.split("\n").filter((line) => line.startsWith("messaging-sim"));
    expect(lines).toEqual(names.map((name) => expect.stringMatching(`^${name} true .`)));
    for (const name of ["createSimulator", "SimClient", "globalSetup", "setup"])
      expect(output).toMatch(new RegExp(`\\b${name}\\b`));
  });

  it("intercepts the calls of an unchanged program, by either option", async () => {
    const sim = await startSimulator();
    const { write, nodeWith } = await consumer();
    await write({ "app.cjs": CALLING });
    const env = { MESSAGING_SIM_INTERCEPT: "api.example", MESSAGING_SIM_URL: sim.url };
    for (const option of ["--import", "--require"])
      expect(await nodeWith(env, option, "messaging-sim/intercept", "app.cjs")).toMatch(/^200 200/);
    const { body } = await sim.control("GET /threads/9001/transcript");
    expect(body.at(-1)).toMatchObject({ text: "From an unchanged program", fromCustomer: false });
  });

  it("is found out when it uses what is deprecated", async () => {
    const file = "node_modules/messaging-sim/dist/deprecated.cjs";
    const { node, write } = await consumer();
    await write({ [file]: `process.emitWarning("too old", "DeprecationWarning");` });
    await expect(node(file)).rejects.toThrow("too old");
  });
}

/** Loads every entry, and prints why that fails. */
const LOADS_ALL = `(async () => {
  const { exports } = require("messaging-sim/package.json");
  for (const name of Object.keys(exports).filter((one) => !one.endsWith(".json")))
    console.log(await import(name.replace(".", "messaging-sim")).then(() => "loads", ({ stack }) => stack));
})()`;

/** Declares that the command and every entry refuse a Node that is too old, in one line each. */
export const provesRefusal = (version: string, consumer: OnNode, ...flags: readonly string[]): void =>
  it(`says in a line that Node ${version} is too old, at each entry`, async () => {
    const { node } = await consumer();
    const line = `messaging-sim needs Node ${engines.node.slice(2)} or newer, and this is Node ${version}`;
    expect(await node(...flags, "-e", LOADS_ALL)).toBe(`Error: ${line}\n`.repeat(ENTRIES.length));
    const refused = { code: 2, stdout: "", stderr: `${line}\n` };
    await expect(node(...flags, COMMAND, "serve")).rejects.toMatchObject(refused);
  });

const USE_OF_TYPES = `
  import { createSimulator, type FixtureInput } from "messaging-sim";
  import { SimClient } from "messaging-sim/client";

  export async function count(): Promise<number> {
    const sim = await createSimulator({ behaviour: "realistic" });
    return (await new SimClient({ url: sim.url }).deliveries()).length;
  }
  // @ts-expect-error: no such option
  void createSimulator({ nothing: 1 });
  // @ts-expect-error: a fixture is an object
  export const fixture: FixtureInput = 5;
`;

/** Declares that its types stand on their own under a way to resolve modules. */
export const provesTypesUnder = (module: "nodenext" | "node16", consumer: () => Consumer): void =>
  it.each(["types.mts", "types.cts"])(`has types that stand on their own (${module}): %s`, async (file) => {
    expect(await consumer().typeProblems(file, USE_OF_TYPES, { module })).toEqual([]);
  });
