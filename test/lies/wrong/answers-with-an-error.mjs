/** Answers the webhook with 500. */
import { listen } from "../bot.mjs";

listen((_event, response) => response.writeHead(500).end("Cannot read properties of undefined"));
