import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SimClient } from "../../src/client/index.js";
import { newFolder } from "../persistence/support.js";
import { start } from "./program.js";

/** A fixture with one customer of that name. */
const fixtureOf = (name: string) =>
  JSON.stringify(
    {
      organizations: [{ id: "200", name: "Acme" }],
      businesses: [{ id: "1001", organizationId: "200", name: "Acme Paris" }],
      users: [
        {
          id: "501",
          organizationId: "200",
          email: "ana@acme.example",
          displayName: "Ana",
          businessIds: ["1001"],
        },
      ],
      tokens: [{ id: "acme-token", userId: "501" }],
      customers: [{ id: "c1", organizationId: "200", displayName: name }],
      threads: [
        {
          id: "9001",
          businessId: "1001",
          customerId: "c1",
          channel: "SMS",
          status: "waiting",
          isMessagingWindowOpen: true,
        },
      ],
    },
    null,
    2,
  );

type Program = ReturnType<typeof start>;

/** The next line of the log that has this text. */
async function lineWith(program: Program, text: string): Promise<string> {
  for (;;) {
    const line = await program.line();
    if (line.includes(text)) return line;
    if (program.child.exitCode !== null) throw new Error(`no "${text}" before the end: ${program.stderr()}`);
  }
}

const serve = (words: string[], env?: Record<string, string>) => start(["serve", "--port=0", ...words], env);

async function get(url: string, path: string, sandbox = "default") {
  const response = await fetch(`${url}/__sim/sandboxes/${sandbox}${path}`);
  return response.json();
}

async function post(url: string, path: string, body: unknown = {}): Promise<void> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${url}/__sim${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  expect(answer.ok).toBe(true);
}

const customerIn = async (url: string, sandbox?: string): Promise<string> =>
  (await get(url, "/state", sandbox)).customers[0].displayName;

const ruleOf = async (url: string, key: string, sandbox?: string): Promise<unknown> =>
  (await get(url, "/behaviour", sandbox)).find((row: { key: string }) => row.key === key).value;

const inbound = (url: string, text: string, sandbox = "default") =>
  post(url, `/sandboxes/${sandbox}/threads/9001/inbound`, { text });

describe("serve --watch", () => {
  it("loads a fixture that was replaced, for later resets and sandboxes too, and says so", async () => {
    const fixtures = join(newFolder(), "acme.json");
    writeFileSync(fixtures, fixtureOf("First"));
    const program = serve(["--watch", "--fixtures", fixtures]);
    const url = await program.url();
    await inbound(url, "Gone with the old world");
    const stream = new SimClient({ url }).stream();
    expect((await stream.next()).value).toMatchObject({ event: "hello" });

    writeFileSync(`${fixtures}~`, fixtureOf("Second"));
    renameSync(`${fixtures}~`, fixtures);
    expect(await lineWith(program, "anew")).toMatch(/ info {2}loaded anew: fixtures {2}sandboxes=1$/);
    expect((await stream.next()).value).toMatchObject({ event: "reset", data: { loaded: ["fixtures"] } });
    expect((await stream.next()).value).toMatchObject({ event: "state", data: { all: true } });
    expect(await get(url, "/state")).toMatchObject({ customers: [{ displayName: "Second" }], messages: [] });
    await post(url, "/reset");
    for await (const { event, data } of stream)
      if (event === "reset") expect(data).toEqual({});
      else if (event === "clock") break;
    expect(await customerIn(url)).toBe("Second");
    await post(url, "/sandboxes", { id: "later" });
    expect(await customerIn(url, "later")).toBe("Second");
    expect(await get(url, "/start", "later")).toMatchObject({ standard: true, shipped: false });
    program.child.kill("SIGTERM");
    expect(await program.exited).toBe(0);
    expect(program.stderr()).toBe("");
  });

  it("says where a change is wrong while the old world goes on, and loads what is mended", async () => {
    const folder = newFolder();
    const [fixtures, behaviour] = [join(folder, "acme.json"), join(folder, "rules.yaml")];
    writeFileSync(fixtures, fixtureOf("First"));
    writeFileSync(behaviour, "limits.webhooks: 3\n");
    const program = serve(["--watch", "--fixtures", fixtures, "--behaviour", behaviour]);
    const url = await program.url();
    await inbound(url, "Still here");

    writeFileSync(fixtures, fixtureOf("Second").replace('"waiting"', '"waitnig"'));
    await lineWith(program, " warn  not loaded anew: everything goes on as it was");
    await expect
      .poll(() => program.stderr())
      .toMatch(/^\S+acme\.json:45:17 {2}threads\[0\]\.status: must be one of /);
    expect(await get(url, "/state")).toMatchObject({
      customers: [{ displayName: "First" }],
      messages: [{ text: "Still here" }],
    });

    writeFileSync(fixtures, fixtureOf("Second"));
    writeFileSync(behaviour, "limits.webhoks: 3\n");
    await lineWith(program, "not loaded anew");
    await expect
      .poll(() => program.stderr().split("\n")[1])
      .toBe(
        `${behaviour}:1:1  ["limits.webhoks"]: unknown behaviour "limits.webhoks": did you mean "limits.webhooks"?`,
      );
    expect(await customerIn(url)).toBe("First");

    writeFileSync(behaviour, "limits.webhooks: 4\n");
    expect(await lineWith(program, "anew")).toContain("loaded anew: fixtures, behaviour ");
    expect([await customerIn(url), await ruleOf(url, "limits.webhooks")]).toEqual(["Second", 4]);
  });

  it("tells of a file that is gone for good, and loads it when it is back", async () => {
    const fixtures = join(newFolder(), "acme.json");
    writeFileSync(fixtures, fixtureOf("First"));
    const program = serve(["--fixtures", fixtures], { MESSAGING_SIM_WATCH: "true" });
    const url = await program.url();
    rmSync(fixtures);
    await lineWith(program, "not loaded anew");
    await expect.poll(() => program.stderr()).toBe(`${fixtures}  cannot be read: there is no such file\n`);
    expect(await customerIn(url)).toBe("First");
    writeFileSync(fixtures, fixtureOf("Second"));
    await lineWith(program, "loaded anew: fixtures");
    expect(await customerIn(url)).toBe("Second");
  });

  it("loads the files that a config file names, and what it spells out, several changes at once", async () => {
    const folder = newFolder();
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
    write("acme.json", fixtureOf("First"));
    write("rules.yaml", "limits.webhooks: 3\n");
    write("faults.yaml", "- { on: request, then: unavailable }\n");
    write("sim.yaml", "fixtures: acme.json\nbehaviour: rules.yaml\nfault: [faults.yaml]\nwatch: true\n");
    const program = serve(["--config", join(folder, "sim.yaml")]);
    const url = await program.url();

    write("faults.yaml", "- { on: delivery, then: unavailable }\n");
    write("rules.yaml", "limits.webhooks: 4\n");
    expect(await lineWith(program, "anew")).toContain("loaded anew: behaviour, faults ");
    expect(await get(url, "/faults")).toMatchObject([{ on: "delivery" }]);
    expect(await ruleOf(url, "limits.webhooks")).toBe(4);

    write("beta.json", fixtureOf("Beta"));
    write("sim.yaml", "fixtures: beta.json\nwatch: true\nset: { limits.textLength: 9 }\nfaults: []\n");
    expect(await lineWith(program, "anew")).toContain("loaded anew: fixtures, behaviour, faults ");
    expect(await customerIn(url)).toBe("Beta");
    expect([await ruleOf(url, "limits.webhooks"), await ruleOf(url, "limits.textLength")]).toEqual([null, 9]);
    expect(await get(url, "/faults")).toEqual([]);

    write("beta.json", fixtureOf("Gamma"));
    expect(await lineWith(program, "anew")).toContain("loaded anew: fixtures ");
    expect(await customerIn(url)).toBe("Gamma");
    program.child.kill("SIGINT");
    expect(await program.exited).toBe(0);
    expect(program.stdout().match(/anew/g)).toHaveLength(3);
  });

  it("leaves sandboxes what their creator chose", async () => {
    const folder = newFolder();
    const [fixtures, behaviour] = [join(folder, "acme.json"), join(folder, "rules.yaml")];
    writeFileSync(fixtures, fixtureOf("First"));
    writeFileSync(behaviour, "limits.webhooks: 3\n");
    const program = serve(["--watch", "--fixtures", fixtures, "--behaviour", behaviour]);
    const url = await program.url();
    await post(url, "/sandboxes", { id: "world", fixtures: JSON.parse(fixtureOf("Own")) });
    await post(url, "/sandboxes", { id: "rules", behaviour: { "limits.webhooks": 7 } });
    await inbound(url, "Stays", "world");

    writeFileSync(fixtures, fixtureOf("Second"));
    expect(await lineWith(program, "anew")).toContain("sandboxes=2");
    expect(await get(url, "/state", "world")).toMatchObject({
      customers: [{ displayName: "Own" }],
      messages: [{ text: "Stays" }],
    });
    expect([await customerIn(url, "rules"), await ruleOf(url, "limits.webhooks", "rules")]).toEqual([
      "Second",
      7,
    ]);

    writeFileSync(behaviour, "limits.webhooks: 4\n");
    expect(await lineWith(program, "anew")).toContain("sandboxes=2");
    expect(await get(url, "/state", "world")).toMatchObject({
      customers: [{ displayName: "Own" }],
      messages: [],
    });
    expect(await ruleOf(url, "limits.webhooks", "world")).toBe(4);
    expect(await ruleOf(url, "limits.webhooks", "rules")).toBe(7);
  });

  it("is what a restart with the same folder knows, sandboxes with parts of their own too", async () => {
    const folder = newFolder();
    const fixtures = join(folder, "acme.json");
    writeFileSync(fixtures, fixtureOf("First"));
    const words = ["--watch", "--fixtures", fixtures, "--data", join(folder, "data")];
    const first = serve(words);
    const url = await first.url();
    await post(url, "/sandboxes", { id: "own", fixtures: JSON.parse(fixtureOf("Own")) });
    await post(url, "/snapshots", { name: "before" });
    writeFileSync(fixtures, fixtureOf("Second"));
    await lineWith(first, "loaded anew: fixtures");
    first.child.kill("SIGKILL");
    await first.exited;
    writeFileSync(fixtures, fixtureOf("Third"));

    const second = serve(words);
    const again = await second.url();
    expect(await customerIn(again)).toBe("Second");
    await post(again, "/reset");
    expect([await customerIn(again), await customerIn(again, "own")]).toEqual(["Second", "Own"]);
    await post(again, "/snapshots/before/restore");
    expect(await customerIn(again)).toBe("First");

    writeFileSync(fixtures, fixtureOf("Fourth"));
    expect(await lineWith(second, "anew")).toContain("sandboxes=1");
    expect([await customerIn(again), await customerIn(again, "own")]).toEqual(["Fourth", "Own"]);
  });

  it("says that there is nothing to watch", async () => {
    const program = serve(["--watch"]);
    await program.url();
    expect(await lineWith(program, "--watch")).toContain("warn  --watch has no file to watch: ");
    program.child.kill("SIGTERM");
    expect(await program.exited).toBe(0);
  });
});
