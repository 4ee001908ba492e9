import { isOutside } from "../../../src/client/log-entries.js";
import { MASK } from "../../../src/kernel/masking.js";
import { omitUndefined } from "../../../src/kernel/objects.js";
import type { Session } from "./session";
import type { Webhook } from "./types";

/** The program that gets the events of a sandbox. */
interface Bot {
  /** Secrets in it are masked. */
  readonly url: string;
  /** `127.0.0.1:3000` */
  readonly host: string;
  /** The header in which each delivery carries the token. */
  readonly header: string | undefined;
}

const isConnected = (webhook: Webhook): boolean => webhook.enabled && isOutside(webhook);

/** The program to which a webhook leads; undefined while none leads to one. */
export function botOf({ tables }: Session): Bot | undefined {
  const webhook = [...tables.webhooks.records.values()].find(isConnected);
  if (webhook === undefined) return undefined;
  const { url, extraHeaders } = webhook;
  return {
    url,
    host: URL.canParse(url) ? new URL(url).host : url,
    header: extraHeaders[0]?.name,
  };
}

/** Resets the sandbox, and connects the program again that had its events. What was done, as a sentence without its full stop. */
export async function resetSandbox(session: Session): Promise<string> {
  const { transport, sandbox } = session;
  const bot = botOf(session);
  await transport.call("POST", "/reset");
  const done = `Sandbox ${sandbox} reset`;
  if (bot === undefined) return done;
  const webhooks = await transport.call<Webhook[]>("GET", "/data/webhooks");
  if (webhooks.some(isConnected)) return done;
  if (bot.url.includes(MASK)) return `${done}. The bot at ${bot.host} is not connected any more`;
  const { url, header } = bot;
  await transport.call("POST", "/connect", { body: omitUndefined({ url, header }) });
  return `${done}. The bot at ${bot.host} is still connected`;
}
