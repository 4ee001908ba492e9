/** Answers everybody on one thread. */
import { onCustomer, reply } from "../bot.mjs";

onCustomer((data) => reply({ ...data, customerThreadId: 9003 }));
