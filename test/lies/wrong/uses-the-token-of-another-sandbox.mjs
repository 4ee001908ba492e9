/** Has the token of the sandbox `default` built in. */
import { onCustomer, reply } from "../bot.mjs";

onCustomer((data) => reply(data, "acme-token"));
