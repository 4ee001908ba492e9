/** Replies before it answers the webhook. */
import { listen, reply } from "../bot.mjs";

listen(async ({ data }, response) => {
  if (data.fromCustomer) await reply(data);
  response.end();
});
