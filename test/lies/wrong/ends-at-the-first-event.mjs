/** Does not catch what goes wrong with an event. */
import { listen } from "../bot.mjs";

listen(({ data }) => {
  throw new Error(`no handler for ${data.messageType}`);
});
