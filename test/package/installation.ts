/** What an installation promises on every Node: its command, and the library by both ways of loading. */
import { type SpawnOptionsWithoutStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { startSimulator } from "../support/simulator.js";
import type { Consumer } from "./consumer.js";

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
    const imported = await import(name, name.endsWith(".json") ? { with: { type: "json" } } : {});
    const from = name.endsWith(".json") ? imported.default : imported;
    const names = Object.keys(required).filter((key) => key !== "__esModule");
    console.log(name, names.every((key) => from[key] === required[key]), Object.keys(from).join());
  }`;

/** What only loads in its runner, where runners.ts loads it. */
const IN_ITS_RUNNER = ["./jest", "./vitest"];

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

/** Declares them for a Node, whose version is that of `consumer`. */
export function provesInstallation(version: string, consumer: () => Consumer): void {
  it("starts from its command, serves its fixture and its dashboard, and ends on SIGTERM", async () => {
    const { folder, environment } = consumer();
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
    expect([page.status, page.headers.get("content-type")]).toEqual([
      200,
      expect.stringContaining("text/html"),
    ]);
    await endsWell();
  });

  it.each(Object.keys(WAYS))("is a library by import and by require: %s", async (file) => {
    await consumer().write(WAYS);
    const [deliveries, node] = (await consumer().node(file)).trim().split("\n");
    expect([JSON.parse(deliveries ?? ""), node]).toEqual([["delivered"], version]);
  });

  it("is one and the same by import and by require, whatever it exports", async () => {
    const { folder, write, nodeWith } = consumer();
    const manifest = join(folder, "node_modules/messaging-sim/package.json");
    const exported = Object.keys(JSON.parse(await readFile(manifest, "utf8")).exports);
    expect(exported).toEqual(expect.arrayContaining(IN_ITS_RUNNER));
    const names = exported
      .filter((path) => !IN_ITS_RUNNER.includes(path))
      .map((path) => path.replace(".", "messaging-sim"));
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
    const { write, nodeWith } = consumer();
    await write({ "app.cjs": CALLING });
    const env = { MESSAGING_SIM_INTERCEPT: "api.example", MESSAGING_SIM_URL: sim.url };
    for (const option of ["--import", "--require"])
      expect(await nodeWith(env, option, "messaging-sim/intercept", "app.cjs")).toMatch(/^200 200/);
    const { body } = await sim.control("GET /threads/9001/transcript");
    expect(body.at(-1)).toMatchObject({ text: "From an unchanged program", fromCustomer: false });
  });

  it("is found out when it uses what is deprecated", async () => {
    const file = "node_modules/messaging-sim/dist/deprecated.cjs";
    await consumer().write({ [file]: `process.emitWarning("too old", "DeprecationWarning");` });
    await expect(consumer().node(file)).rejects.toThrow("too old");
  });
}

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
