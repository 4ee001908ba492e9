import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { SimClient } from "../../src/client/index.js";
import { newFolder } from "../persistence/support.js";
import { until } from "../support/until.js";
import { serve } from "./terminal.js";

/** A world with one customer of that name, in lines. */
const worldOf = (displayName: string) => ({
  organizations: [{ id: "200", name: "Acme" }],
  businesses: [{ id: "1001", organizationId: "200", name: "Acme Paris" }],
  customers: [{ id: "c1", organizationId: "200", displayName }],
  threads: [{ id: "9001", businessId: "1001", customerId: "c1", channel: "SMS", ...OPEN }],
});
const OPEN = { status: "waiting", isMessagingWindowOpen: true };
const fixtureOf = (name: string) => JSON.stringify(worldOf(name), null, 1);

/** Serves with files in a folder, by their names, and reads what has come of them. */
async function watching(texts: Readonly<Record<string, string>>, words: readonly string[], env = {}) {
  const folder = newFolder();
  const path = (name: string) => join(folder, name);
  const write = (name: string, text: string) => writeFileSync(path(name), text);
  for (const [name, text] of Object.entries(texts)) write(name, text);
  const served = await serve(
    words.map((word) => (word in texts || word === "data" ? path(word) : word)),
    env,
  );
  let seen = served.out().length;
  /** The next line of the log that has this text. */
  const lineWith = async (text: string): Promise<string> => {
    const rest = () => served.out().slice(seen);
    await until(() => rest().split("\n").slice(0, -1).join("\n").includes(text));
    const line =
      rest()
        .split("\n")
        .find((each) => each.includes(text)) ?? "";
    seen += rest().indexOf(line) + line.length;
    return line;
  };
  const get = async (route: string, sandbox = "default") =>
    (await served.control(`GET /sandboxes/${sandbox}${route}`)).body;
  return {
    ...served,
    path,
    write,
    lineWith,
    get,
    customer: async (sandbox?: string) => (await get("/state", sandbox)).customers[0].displayName,
    rule: async (key: string, sandbox?: string) =>
      (await get("/behaviour", sandbox)).find((row: { key: string }) => row.key === key).value,
    inbound: (text: string, sandbox = "default") =>
      served.control(`POST /sandboxes/${sandbox}/threads/9001/inbound`, { text }),
  };
}

const ACME = { "acme.json": fixtureOf("First") };
const WITH_RULES = { ...ACME, "rules.yaml": "limits.webhooks: 3\n" };
const WATCHED = ["--watch", "--fixtures", "acme.json"];
const BOTH = [...WATCHED, "--behaviour", "rules.yaml"];

it("loads a fixture that was replaced, for later resets and sandboxes too, and says so", async () => {
  const { path, write, inbound, url, lineWith, get, control, customer, err } = await watching(ACME, WATCHED);
  await inbound("Gone with the old world");
  const stream = new SimClient({ url }).stream();
  expect((await stream.next()).value).toMatchObject({ event: "hello" });

  write("acme.json~", fixtureOf("Second"));
  renameSync(path("acme.json~"), path("acme.json"));
  expect(await lineWith("reloaded")).toMatch(/ info {2}reloaded: fixtures {2}sandboxes=1$/);
  expect((await stream.next()).value).toMatchObject({ event: "reset", data: { run: 2 } });
  expect((await stream.next()).value).toMatchObject({ event: "state", data: { all: true } });
  expect(await get("/state")).toMatchObject({ customers: [{ displayName: "Second" }], messages: [] });
  await control("POST /reset", {});
  expect(await customer()).toBe("Second");
  await control("POST /sandboxes", { id: "later" });
  expect(await customer("later")).toBe("Second");
  expect(await get("/start", "later")).toMatchObject({ standard: true, shipped: false });
  expect(err()).toBe("");
});

it("says where a change is wrong while the old world goes on, and loads what is mended", async () => {
  const { path, write, inbound, lineWith, get, customer, rule, err } = await watching(WITH_RULES, BOTH);
  await inbound("Still here");
  write("acme.json", fixtureOf("Second").replace('"waiting"', '"waitnig"'));
  await lineWith(" warn  not reloaded: the previous files stay in use");
  expect(err()).toMatch(/^\S+acme\.json:28:14 {2}threads\[0\]\.status: must be one of /);
  const first = { customers: [{ displayName: "First" }], messages: [{ text: "Still here" }] };
  expect(await get("/state")).toMatchObject(first);

  write("acme.json", fixtureOf("Second"));
  write("rules.yaml", "limits.webhoks: 3\n");
  await lineWith("not reloaded");
  expect(err().split("\n")[1]).toBe(
    `${path("rules.yaml")}:1:1  ["limits.webhoks"]: unknown behaviour "limits.webhoks": did you mean "limits.webhooks"?`,
  );
  expect(await customer()).toBe("First");

  write("rules.yaml", "limits.webhooks: 4\n");
  expect(await lineWith("reloaded")).toContain("reloaded: fixtures, behaviour ");
  expect([await customer(), await rule("limits.webhooks")]).toEqual(["Second", 4]);
});

it("loads a file that was gone once it is back", async () => {
  const env = { MESSAGING_SIM_WATCH: "true" };
  const { path, write, lineWith, customer, err } = await watching(ACME, ["--fixtures", "acme.json"], env);
  rmSync(path("acme.json"));
  write("acme.json", fixtureOf("Second"));
  await lineWith("reloaded: fixtures");
  expect([await customer(), err()]).toEqual(["Second", ""]);
});

it("loads the files that a config file names, several changes at once", async () => {
  const config = "fixtures: acme.json\nbehaviour: rules.yaml\nset: { limits.textLength: 9 }\nwatch: true\n";
  const files = { ...WITH_RULES, "sim.yaml": config };
  const { write, lineWith, customer, rule, close, out } = await watching(files, ["--config", "sim.yaml"]);
  write("acme.json", fixtureOf("Second"));
  write("rules.yaml", "limits.webhooks: 4\n");
  expect(await lineWith("reloaded")).toContain("reloaded: fixtures, behaviour ");
  expect(await customer()).toBe("Second");
  expect([await rule("limits.webhooks"), await rule("limits.textLength")]).toEqual([4, 9]);

  write("acme.json", fixtureOf("Third"));
  expect(await lineWith("reloaded")).toContain("reloaded: fixtures ");
  expect(await customer()).toBe("Third");
  await close();
  expect(out().match(/reloaded/g)).toHaveLength(2);
});

it("leaves sandboxes what their creator chose", async () => {
  const { write, inbound, lineWith, get, customer, rule, control } = await watching(WITH_RULES, BOTH);
  await control("POST /sandboxes", { id: "world", fixtures: worldOf("Own") });
  await control("POST /sandboxes", { id: "rules", behaviour: { "limits.webhooks": 7 } });
  await inbound("Stays", "world");
  const own = { customers: [{ displayName: "Own" }] };

  write("acme.json", fixtureOf("Second"));
  expect(await lineWith("reloaded")).toContain("sandboxes=2");
  expect(await get("/state", "world")).toMatchObject({ ...own, messages: [{ text: "Stays" }] });
  expect([await customer("rules"), await rule("limits.webhooks", "rules")]).toEqual(["Second", 7]);

  write("rules.yaml", "limits.webhooks: 4\n");
  expect(await lineWith("reloaded")).toContain("sandboxes=2");
  expect(await get("/state", "world")).toMatchObject({ ...own, messages: [] });
  expect([await rule("limits.webhooks", "world"), await rule("limits.webhooks", "rules")]).toEqual([4, 7]);
});

it("is what sandboxes of a folder go back to after a restart, but for those with parts of their own", async () => {
  const first = await watching(ACME, [...WATCHED, "--data", "data"]);
  await first.control("POST /sandboxes", { id: "own", fixtures: worldOf("Own") });
  first.write("acme.json", fixtureOf("Second"));
  await first.lineWith("reloaded: fixtures");
  await first.close();
  first.write("acme.json", fixtureOf("Third"));

  const words = ["--watch", "--fixtures", first.path("acme.json"), "--data", first.path("data")];
  const { customer, control, lineWith } = await watching({}, words);
  await control("POST /reset", {});
  expect([await customer(), await customer("own")]).toEqual(["Third", "Own"]);

  first.write("acme.json", fixtureOf("Fourth"));
  expect(await lineWith("reloaded")).toContain("sandboxes=1");
  expect([await customer(), await customer("own")]).toEqual(["Fourth", "Own"]);
});

it("says that there is nothing to watch", async () => {
  const { out } = await serve(["--watch", "--durability", "strict"]);
  expect(out()).toContain("warn  --watch has no file to watch: ");
  expect(out()).toContain("warn  --durability has no effect without --data");
});
