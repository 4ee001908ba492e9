/** Thinks for a second. */
import { setTimeout as sleep } from "node:timers/promises";
import { onCustomer, reply } from "../bot.mjs";

onCustomer(async (data) => {
  await sleep(1_000);
  await reply(data);
});
