/** Writes a note for colleagues in place of a message. */
import { onCustomer, say } from "../bot.mjs";

onCustomer(({ customerThreadId, messageBody }) =>
  say(customerThreadId, { text: `You said: ${messageBody}`, internal: true }),
);
