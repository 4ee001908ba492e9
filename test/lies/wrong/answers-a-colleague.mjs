/** Answers what a colleague writes, too. */
import { listen, reply } from "../bot.mjs";

listen(({ data }, response) => {
  response.end();
  const isOwn = data.messageBody.startsWith("You said: ");
  if (!isOwn) reply(data);
});
