import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { newControlToken } from "../../src/cli/serve.js";
import { CERTIFICATE, KEY } from "../config/pem.js";
import { filesFor } from "../support/folder.js";
import { start } from "./program.js";

const file = filesFor("serve");

/** Resolves once nothing listens at the address any more. */
async function goneFrom(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  for (;;) {
    const refused = await new Promise<boolean>((resolve) => {
      const socket = connect(Number(port), hostname, () => {
        socket.destroy();
        resolve(false);
      });
      socket.on("error", () => resolve(true));
    });
    if (refused) return;
  }
}

describe("serve", () => {
  it("says where it is, what to try, and ends with code 0 when it is told to", async () => {
    const program = start(["--port", "0"]);
    const line = await program.line();
    expect(line).toMatch(/^messaging-sim ready at http:\/\/127\.0\.0\.1:\d+$/);
    const url = line.slice(line.indexOf("http"));
    expect(await program.line()).toMatch(/^ {2}tokens +acme-token, /);
    expect(await program.line()).toMatch(/^ {2}threads +9001 \(WHATSAPP, /);
    const hint = await program.line();
    expect(await program.line()).toBe(`  dashboard  ${url}/__sim/ui/`);
    const [, call = ""] = /'(http[^']+)'$/.exec(hint) ?? [];
    const answer = await fetch(call, {
      headers: { token: "acme-token", "content-type": "application/json" },
    });
    expect(answer.status).toBe(200);
    program.child.kill("SIGTERM");
    expect(await program.exited).toBe(0);
    expect(program.stderr()).toBe("");
  });

  it("writes JSON when asked, ready at any level, and ends with SIGINT", async () => {
    const program = start(["serve", "--port=0", "--log-format=json", "--log-level=error"]);
    const line = await program.line();
    const ready = JSON.parse(line);
    expect(ready).toMatchObject({ event: "ready", level: "info", url: expect.stringMatching(/^http:/) });
    expect((await fetch(`${ready.url}/__sim/health`)).status).toBe(200);
    program.child.kill("SIGINT");
    expect(await program.exited).toBe(0);
    expect(program.stdout()).toBe(`${line}\n`);
  });

  it("takes options from flags, environment and file", async () => {
    const config = file(
      "sim.yaml",
      "port: 1\nlog-level: warn\nset: { limits.webhooks: 7, limits.textLength: 9 }\n",
    );
    const program = start(["--config", config], {
      MESSAGING_SIM_PORT: "0",
      MESSAGING_SIM_SET: "limits.webhooks=8",
      MESSAGING_SIM_PROT: "1",
    });
    const url = await program.url();
    expect(await program.line()).toMatch(/ warn {2}the environment variable MESSAGING_SIM_PROT is no option/);
    const rows = (await (await fetch(`${url}/__sim/behaviour`)).json()) as { key: string; value: unknown }[];
    const inForce = (name: string) => rows.find(({ key }) => key === name)?.value;
    expect([inForce("limits.webhooks"), inForce("limits.textLength")]).toEqual([8, 9]);
  });

  it("logs a line for each call at level debug", async () => {
    const program = start(["--port=0", "--log-level=debug", "--log-format=json"]);
    const url = await program.url();
    await fetch(`${url}/api/nowhere?x=1`);
    const line = JSON.parse(await program.line());
    expect(line).toMatchObject({
      level: "debug",
      msg: expect.stringMatching(/^GET \/api\/nowhere\S* 404$/),
    });
  });

  it("serves HTTPS with a certificate", async () => {
    const program = start([
      "--port=0",
      `--tls-cert=${file("c.pem", CERTIFICATE)}`,
      `--tls-key=${file("k.pem", KEY)}`,
    ]);
    expect(await program.url()).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  });

  it("lets an open request come to its end, and a second signal not", async () => {
    const fault = file("slow.json", '{ "on": "request", "then": { "delayMs": 60000 } }');
    const program = start(["--port=0", "--fault", fault]);
    const url = await program.url();
    const answer = fetch(`${url}/api/webhooks/`, { headers: { token: "acme-token" } }).catch(() => "cut off");
    await fetch(`${url}/__sim/wait`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ for: { requests: { path: "/api/webhooks/" } } }),
    });
    program.child.kill("SIGTERM");
    await goneFrom(url);
    expect(program.child.exitCode).toBe(null);
    program.child.kill("SIGTERM");
    expect(await program.exited).toBe(130);
    expect(await answer).toBe("cut off");
  });

  it("ends with code 2 and one line on standard error for an option that cannot be used", async () => {
    const program = start(["serve"], { MESSAGING_SIM_PORT: "x" });
    expect(await program.exited).toBe(2);
    expect(program.stderr()).toBe('MESSAGING_SIM_PORT: must be an integer, but is "x"\n');
  });
});

describe("the control token", () => {
  it.each([
    ["127.0.0.1", undefined, false],
    ["localhost", undefined, false],
    ["::1", undefined, false],
    ["0.0.0.0", undefined, true],
    ["192.168.1.5", undefined, true],
    ["sim", undefined, true],
    ["0.0.0.0", "mine", false],
    ["0.0.0.0", false, false],
  ] as const)("on %s, given %s: made %s", (host, controlToken, made) => {
    const token = newControlToken({ host, ...(controlToken === undefined ? {} : { controlToken }) });
    if (made) expect(token).toMatch(/^[\w-]{32}$/);
    else expect(token).toBe(undefined);
  });

  it("is another one each time", () => {
    expect(newControlToken({ host: "::" })).not.toBe(newControlToken({ host: "::" }));
  });
});
