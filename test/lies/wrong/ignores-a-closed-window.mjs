/** Does not look whether its message was accepted: where the window is closed, only a template is. */
import { onCustomer, reply } from "../bot.mjs";

onCustomer((data) => reply(data));
