/** What an update of a webhook changes about the deliveries that wait (behaviour `delivery.pendingUpdate`). */
import { expect, it } from "vitest";
import type { SimulatorOptions } from "../../src/server/simulator.js";
import type { BehaviourValues } from "../../src/service/behaviour/table.js";
import { newFolder } from "../persistence/support.js";
import { type Running, startSimulator } from "../support/simulator.js";
import { answering, receiver } from "./support.js";

const RETRIES: Partial<BehaviourValues> = { "delivery.attempts": 3, "delivery.backoff": ["1m"] };

/** Two receivers, of which the first one fails at first, and a webhook that leads to it with its secret. */
async function startWithTwo(options: SimulatorOptions = {}) {
  const [before, after] = [await receiver(answering(500, 200)), await receiver()];
  const sim = await startSimulator({ clock: "2026-01-01T09:00:00Z", ...options });
  await update(sim, before.url, "old");
  return { sim, before, after };
}

const update = ({ control }: Running, url: string, secret: string) =>
  control("PATCH /data/webhooks/1", { url, extraHeaders: [{ name: "x-secret", value: secret }] });

async function say({ control }: Running, text: string) {
  await control("POST /threads/9001/inbound", { text });
  await control("POST /wait", { for: "idle" });
}

/** The texts that a receiver got, each with the secret beside it. */
const seenBy = ({ seen }: Awaited<ReturnType<typeof receiver>>) =>
  seen.map(({ text, headers }) => [JSON.parse(text).data.messageBody, headers["x-secret"]]);

const KEPT = [
  ["first", "old"],
  ["first", "old"],
  ["second", "old"],
];

it("a delivery behind a retry goes to the url of its event with the headers of its event", async () => {
  const { sim, before, after } = await startWithTwo({ set: RETRIES });
  await say(sim, "first");
  await say(sim, "second");
  await update(sim, after.url, "new");
  await say(sim, "third");
  await sim.control("POST /clock/advance", { by: "1m" });
  expect([seenBy(before), seenBy(after)]).toEqual([KEPT, [["third", "new"]]]);
});

it("a delivery that waits keeps the url and the headers of its event over a restart", async () => {
  const options = { set: RETRIES, data: newFolder() };
  const { sim, before, after } = await startWithTwo(options);
  await say(sim, "first");
  await say(sim, "second");
  await update(sim, after.url, "new");
  await sim.close();
  const again = await startSimulator(options);
  await again.control("POST /clock/advance", { by: "1m" });
  expect([seenBy(before), seenBy(after)]).toEqual([KEPT, []]);
});

it("with pendingUpdate current, url and headers follow the webhook", async () => {
  const set = { ...RETRIES, "delivery.pendingUpdate": "current" } as const;
  const { sim, before, after } = await startWithTwo({ set });
  await say(sim, "first");
  await say(sim, "second");
  await update(sim, after.url, "new");
  await sim.control("POST /clock/advance", { by: "1m" });
  const moved = [
    ["first", "new"],
    ["second", "new"],
  ];
  expect([seenBy(before), seenBy(after)]).toEqual([[["first", "old"]], moved]);
});

it.each<[string, (sim: Running) => Promise<unknown>]>([
  ["the webhook is deleted", ({ control }) => control("DELETE /data/webhooks/1")],
  [
    "pendingUpdate is original again",
    async (sim) => {
      await sim.control("PATCH /behaviour", { "delivery.pendingUpdate": "original" });
      await update(sim, "http://127.0.0.1:9/", "newest");
    },
  ],
])("a delivery that followed an update keeps its url and headers once %s", async (_, change) => {
  const current = { "delivery.pendingUpdate": "current", "webhooks.pendingAfterDisable": "send" } as const;
  const { sim, before } = await startWithTwo({ set: { ...RETRIES, ...current } });
  const after = await receiver(answering(500, 200));
  await say(sim, "first");
  await update(sim, after.url, "new");
  await sim.control("POST /clock/advance", { by: "1m" });
  await change(sim);
  await sim.control("POST /clock/advance", { by: "1m" });
  const moved = [
    ["first", "new"],
    ["first", "new"],
  ];
  expect([seenBy(before), seenBy(after)]).toEqual([[["first", "old"]], moved]);
});
