/** Tries again when the service says so. */
import { setTimeout as sleep } from "node:timers/promises";
import { onCustomer, reply } from "../bot.mjs";

onCustomer(async (data) => {
  let response = await reply(data);
  while (response.status === 429) {
    await sleep(1_000 * Number(response.headers.get("retry-after")));
    response = await reply(data);
  }
});
