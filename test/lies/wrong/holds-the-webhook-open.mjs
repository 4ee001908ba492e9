/** Never answers the webhook. */
import { listen } from "../bot.mjs";

listen(() => {});
