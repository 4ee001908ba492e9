import { expect, it } from "vitest";
import { createSimulator, type SimulatorOptions } from "../../src/server/simulator.js";
import { filesFor } from "../support/folder.js";
import { startSimulator } from "../support/simulator.js";
import { CERTIFICATE, KEY } from "./pem.js";

const fileOf = filesFor("library");

it.each<[Record<string, unknown>, string]>([
  [{ behavior: "realistic" }, 'behavior: unknown option "behavior": did you mean "behaviour"?'],
  [{ fixture: {}, port: 0 }, 'fixture: unknown option "fixture": did you mean "fixtures"?'],
  [{ behaviour: "realstic" }, 'did you mean "realistic"?'],
  [{ behaviour: "toString" }, "behaviour: cannot read toString: there is no such file"],
  [{ behaviour: { "window.duraton": "24h" } }, 'did you mean "window.duration"?'],
  [{ set: { "window.duraton": "24h" } }, 'did you mean "window.duration"?'],
  [{ faults: [{ on: "reqest", then: { status: 503 } }] }, "faults[0].on: "],
  [{ faults: ["nowhere.yaml"] }, "faults[0]: cannot read nowhere.yaml: there is no such file"],
  [{ webhookCa: "nowhere.pem" }, "webhookCa: cannot read nowhere.pem: there is no such file"],
  [{ tls: { cert: "nowhere.pem", key: KEY } }, "tls.cert: cannot read nowhere.pem"],
])("createSimulator refuses %j", async (options, message) => {
  await expect(createSimulator(options as SimulatorOptions)).rejects.toThrow(message);
});

it("createSimulator accepts files like the command", async () => {
  const behaviour = fileOf("behaviour.yaml", "limits.textLength: 3\n");
  const fault = fileOf("faults.yaml", "- on: request\n  times: 1\n  then: unavailable\n");
  const { api, control } = await startSimulator({
    behaviour,
    faults: [fault, { on: "delivery", then: "slow" }],
  });
  const faults = await control("GET /faults");
  expect(faults.body.map(({ on }: { on: string }) => on)).toEqual(["request", "delivery"]);
  expect((await api("GET /api/webhooks")).status).toBe(503);
  const call = "POST /api/send-message-to-customer-thread";
  expect((await api(call, { customerThreadId: "9001", text: "long" })).status).toBe(400);
});

it("null means the value `null` of a behaviour key, wherever it comes from", async () => {
  const nulls = { "profile.emptyFields": null } as unknown as SimulatorOptions["set"] & object;
  const read = "GET /api/customers/cust_002/profile";
  for (const options of [{ set: nulls }, { behaviour: nulls }]) {
    const { api } = await startSimulator(options);
    expect((await api(read)).body.company).toBeNull();
  }
  const { control } = await startSimulator();
  const steps = [{ request: read, token: "acme-token", expect: { body: { company: null } } }];
  const { body } = await control("POST /scenarios/run", { scenario: { behaviour: nulls, steps } });
  expect(body).toMatchObject({ ok: true });
});

it("createSimulator accepts certificates as files and as PEM", async () => {
  const cert = fileOf("cert.pem", CERTIFICATE);
  const key = fileOf("key.pem", KEY);
  for (const tls of [
    { cert, key },
    { cert: CERTIFICATE, key: KEY },
  ]) {
    await using simulator = await createSimulator({ tls, webhookCa: cert });
    expect(simulator.url).toMatch(/^https:/);
  }
});

it("createSimulator locates problems in a file", async () => {
  const file = fileOf("behaviour.yaml", "delivery.attempts: 2\nlimits.textLenght: 3\n");
  await expect(createSimulator({ behaviour: file })).rejects.toThrow(
    `${file}:2:1  ["limits.textLenght"]: unknown behaviour`,
  );
});
