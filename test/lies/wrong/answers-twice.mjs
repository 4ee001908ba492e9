/** Answers each message twice. */
import { onCustomer, reply } from "../bot.mjs";

onCustomer(async (data) => {
  await reply(data);
  await reply(data);
});
