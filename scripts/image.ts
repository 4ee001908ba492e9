/**
 * Builds the image of the Dockerfile with buildah, runs it, and says what came of it: npm run image
 *
 * Takes minutes and Debian packages, so it is no part of `npm test`. The base image is made where its registry cannot be reached.
 */
import { deepEqual, match, ok, strictEqual } from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SimClient } from "../src/client/index.js";
import { ensureBase } from "./image/base.js";
import { bytesOver, output } from "./image/buildah.js";
import { inContainer } from "./image/container.js";
import { findProgram, installFromDebian } from "./programs.mjs";

const MAX_BYTES_OVER_BASE = 200e6;
const CONTROL_TOKEN = "secret";

const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
const [, base = ""] = /^FROM (\S+)$/m.exec(readFileSync("Dockerfile", "utf8")) ?? [];
const image = `messaging-sim:${version}`;
const folder = mkdtempSync(join(tmpdir(), "messaging-sim-image-"));

/** Does one thing and prints it with what came of it and the seconds that it took. */
async function step(title: string, work: () => string | Promise<string>): Promise<void> {
  const start = performance.now();
  const outcome = await work();
  console.log(`${title}: ${outcome} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
}

/** Behind a proxy that opens TLS, npm in the build needs the certificates of the machine; they do not reach the image. */
function certificates(): string[] {
  const file = process.env.NODE_EXTRA_CA_CERTS;
  if (!file) return [];
  const npmrc = join(folder, "npmrc");
  writeFileSync(npmrc, "cafile=/run/ca.pem\n");
  return ["--volume", `${file}:/run/ca.pem:ro`, "--volume", `${npmrc}:/root/.npmrc:ro`];
}

function build(): string {
  const how = ["--pull=never", "--network", "host", "--format", "docker", ...certificates()];
  output("buildah", "bud", ...how, "--tag", image, ".");
  const bytes = bytesOver(base, image);
  ok(bytes < MAX_BYTES_OVER_BASE, `${bytes} bytes over its base`);
  return `${(bytes / 1e6).toFixed(1)} MB over ${base}`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** The port is not the image's: the check has to find it. */
async function checkHealth(): Promise<string> {
  const env = [`MESSAGING_SIM_PORT=${await freePort()}`];
  const options = ["--control-token", CONTROL_TOKEN];
  return inContainer(image, options, { env }, async ({ uid, isHealthy, stop }) => {
    ok(isHealthy(), "the health check finds the program");
    ok(uid > 0, "the program does not run as root");
    strictEqual(await stop(), 0);
    ok(!isHealthy(), "the health check notices that the program has ended");
    return `healthy at another port with a token, as user ${uid}, and not after its end`;
  });
}

/** What one container leaves in the volume is there in the next, a delivery that waits for its receiver included. */
async function checkVolume(): Promise<string> {
  const data = join(folder, "data");
  mkdirSync(data);
  // Volumes of an engine belong to the image's user.
  chmodSync(data, 0o777);
  const port = await freePort();
  const retries = ["--set", "delivery.attempts=2", "--set", "delivery.backoff=[1h]"];
  const options = ["--port", String(port), "--control-token", CONTROL_TOKEN, "--data", "/data", ...retries];
  const setting = { volumes: [`${data}:/data`], hosts: ["bot:127.0.0.1"] };
  const client = new SimClient({ url: `http://127.0.0.1:${port}`, controlToken: CONTROL_TOKEN });

  const botPort = await freePort();
  await inContainer(image, options, setting, async ({ stop }) => {
    await client.connect(`http://bot:${botPort}/hook`);
    await client.customerSays("9001", "Hello from before");
    await client.idle();
    const [delivery] = await client.deliveries();
    deepEqual([delivery?.status, delivery?.attempts.length], ["pending", 1]);
    strictEqual(await stop(), 0);
  });
  const received: string[] = [];
  const bot = createServer(async (request, response) => {
    received.push(Buffer.concat(await request.toArray()).toString());
    response.end();
  }).listen(botPort, "127.0.0.1");
  try {
    await inContainer(image, options, setting, async () => {
      await client.advance("1h");
      await client.idle();
      deepEqual(
        received.map((body) => JSON.parse(body).data.messageBody),
        ["Hello from before"],
      );
      match(await client.transcript("9001", "md"), /Hello from before/);
    });
  } finally {
    bot.close();
  }
  return "a message and its delivery to http://bot outlast the container";
}

try {
  if (findProgram("buildah") === undefined && !installFromDebian(["buildah"]))
    throw new Error("Images need buildah, which could not be installed from here: install it yourself");
  await step(base, () => ensureBase(base));
  await step(image, build);
  await step("Health check", checkHealth);
  await step("Volume", checkVolume);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
