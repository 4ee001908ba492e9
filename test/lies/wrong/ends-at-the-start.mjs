/** Ends at the start. */
throw new Error("BOT_SECRET is not set");
