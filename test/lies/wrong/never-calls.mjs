/** Answers the webhook with 200, and never calls. */
import { onCustomer } from "../bot.mjs";

onCustomer(() => {});
