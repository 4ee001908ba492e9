/** Calls a path that the service does not have. */
import { onCustomer, post } from "../bot.mjs";

onCustomer(({ customerThreadId, messageBody }) =>
  post("/api/send-message", { customerThreadId: String(customerThreadId), text: `You said: ${messageBody}` }),
);
