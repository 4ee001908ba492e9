/** Slow: each of the sound programs fifty times in `run`, in vitest and in pytest, and fifty fast answers that silence must not miss. */
import { expect, it } from "vitest";
import { needs } from "../../scripts/programs.mjs";
import { startClients } from "../support/client.js";
import { serverOf } from "../support/server.js";
import { sound } from "./lies.js";
import { byPytest, byRun, byVitest } from "./runners.js";

const ROUNDS = 50;
const RIGHT = sound(ROUNDS);
const passed = Array(ROUNDS).fill(undefined);
const allPassed = RIGHT.map(({ name }) => [name, passed]);
const PATIENTLY = { timeout: 900_000 };

it("sound programs pass fifty times in run", PATIENTLY, async () => {
  const outcomes = RIGHT.map(async (bot) => [bot.name, (await byRun(bot)).outcome]);
  expect(await Promise.all(outcomes)).toEqual(allPassed);
});

it("sound programs pass fifty times with the fixture of vitest", PATIENTLY, async () => {
  const outcomes = await byVitest(RIGHT);
  expect(RIGHT.map(({ name }) => [name, outcomes.get(name)])).toEqual(allPassed);
});

it("sound programs pass fifty times with the fixtures for pytest", {
  ...PATIENTLY,
  ...needs("pytest"),
}, async () => {
  const outcomes = RIGHT.map(async (bot) => [bot.name, (await byPytest([bot])).get(bot.name)]);
  expect(await Promise.all(outcomes)).toEqual(allPassed);
});

const CALLS = { requests: { operation: "sendMessageToCustomerThread" } } as const;

it.each([
  ["silent", /^expected no visible message in thread 9001 for 300 ms, but this arrived: "At once"/],
  [
    "expectNone",
    /^expected no request for 300 ms, but this arrived: POST \/api\/send-message-to-customer-thread/,
  ],
] as const)("%s catches a fast answer fifty times of fifty", PATIENTLY, async (method, message) => {
  const { client, sim } = await startClients();
  let answered = () => {};
  const url = await serverOf(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    response.end();
    if (!JSON.parse(text).data.fromCustomer) return;
    await fetch(`${sim.url}/api/send-message-to-customer-thread`, {
      method: "POST",
      headers: { token: String(request.headers.token), "Content-Type": "application/json" },
      body: JSON.stringify({ customerThreadId: "9001", text: "At once" }),
    });
    answered();
  });
  const caught: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await using sandbox = await client.sandbox();
    await sandbox.connect(url, { header: "token" });
    const isAnswered = new Promise<void>((resolve) => (answered = resolve));
    await sandbox.customerSays("9001", "Hello");
    await sandbox.waitForDelivery("message");
    await isAnswered;
    const watched = method === "silent" ? sandbox.silent("9001", 300) : sandbox.expectNone(CALLS, 300);
    await watched.catch(({ message: said }: Error) => caught.push(said));
  }
  expect(caught).toEqual(Array(ROUNDS).fill(expect.stringMatching(message)));
});
