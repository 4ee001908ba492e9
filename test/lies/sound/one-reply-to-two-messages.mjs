/** Answers what comes within a moment as one. */
import { onCustomer, reply } from "../bot.mjs";

const waiting = [];

onCustomer((data) => {
  if (waiting.push(data.messageBody) < 2) return;
  reply({ ...data, messageBody: waiting.splice(0).join(" ") });
});
