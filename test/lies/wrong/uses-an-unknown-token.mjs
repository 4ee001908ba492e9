/** Has a token that nobody knows. */
import { onCustomer, reply } from "../bot.mjs";

onCustomer((data) => reply(data, "no-such-token"));
