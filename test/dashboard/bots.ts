/** Systems under test with one fault each, and what the page has to say of it. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { freePort } from "../support/free-port.js";
import { serverOf } from "../support/server.js";
import type { Running } from "../support/simulator.js";
import { SEND } from "./calls.js";

export interface Bot {
  readonly name: string;
  /** What the page says; null: nothing, since the bot is sound. */
  readonly says: RegExp | null;
  /** The thread in which the customer writes; default: 9001. */
  readonly thread?: string;
  /** The sandbox in which it happens; default: `default`. */
  readonly sandbox?: string;
  /** Whether it replies to a first message: the second one counts. */
  readonly repliesFirst?: true;
  /** Starts it, and connects it. */
  readonly start: (around: Around) => Promise<unknown>;
}

/** What a bot needs of its simulator. */
export interface Around {
  readonly sim: Running;
  /** Calls the control API of the bot's sandbox. */
  readonly control: Running["control"];
}

/** What a bot knows when an event has come. */
interface Told extends Around {
  readonly data: { readonly fromCustomer: boolean; readonly customerThreadId: number };
  /** How many events came before. */
  readonly count: number;
  /** Sends a message, of which `body` replaces fields, with a token. */
  readonly say: (text: string, body?: object, token?: string | null) => Promise<unknown>;
}

type Act = (told: Told) => unknown;
type Respond = (response: ServerResponse, request: IncomingMessage) => unknown;

const connect = ({ control }: Around, url: string) => control("POST /connect", { url });
const accept: Respond = (response) => response.end();
const answer =
  (status: number, body = "", headers = {}): Respond =>
  (response) =>
    response.writeHead(status, headers).end(body);

/** A bot that responds to each event, and then acts on those of customers. */
const acting =
  (act: Act, respond: Respond = accept): Bot["start"] =>
  async (around) => {
    let count = -1;
    const url = await serverOf(async (request, response) => {
      const { data = { fromCustomer: false } } = (await json(request)) as { data?: Told["data"] };
      respond(response, request);
      if (!data.fromCustomer) return;
      count += 1;
      const say: Told["say"] = (text, body = {}, token = "acme-token") =>
        around.sim.api(SEND, { customerThreadId: String(data.customerThreadId), text, ...body }, { token });
      await Promise.resolve(act({ ...around, data: data as Told["data"], count, say })).catch(() => {});
    });
    await connect(around, `${url}/hook`);
  };

const mute = (respond: Respond): Bot["start"] => acting(() => {}, respond);
const replying = acting(({ say }) => say("Here"));
/** Sends a reply as it should not be sent. */
const posting = (path: string, headers: Record<string, string>, body: string) =>
  acting(({ sim }) => fetch(`${sim.url}${path}`, { method: "POST", headers, body }));
const [, SEND_PATH = ""] = SEND.split(" ");
const JSON_TYPE = { "content-type": "application/json", token: "acme-token" };
const [NO_CALL, REFUSED] = [
  /The event was delivered \(\d+\), and no call has come since/,
  "call was refused: ",
];
const refusal = (text: string) => new RegExp(`${REFUSED}.*${text}`);
/** Turns off what a webhook needs. */
const webhook =
  (fields: object): Bot["start"] =>
  async (around) => {
    await replying(around);
    await around.control("PATCH /data/webhooks/1", fields);
  };

export const BOTS: readonly Bot[] = [
  { name: "sound", says: null, start: replying },
  {
    name: "sound, with a menu of five",
    says: null,
    start: acting(async ({ say }) => {
      for (const choice of "12345") await say(`Choice ${choice}`);
    }),
  },
  {
    name: "sound, with a template into a closed window",
    says: null,
    start: acting(async ({ control, say }) => {
      await control("POST /threads/9001/window", { open: false });
      await say("", { text: undefined, contentSid: "HX00000000000000000000000000000001" });
    }),
  },
  { name: "silent", says: NO_CALL, start: mute(accept) },
  { name: "silent, with 204", says: NO_CALL, start: mute(answer(204)) },
  {
    name: "silent, after a first reply",
    repliesFirst: true,
    says: NO_CALL,
    start: acting(({ count, say }) => count === 0 && say("Here")),
  },
  {
    name: "only reads",
    says: /1 call since, none with a reply/,
    start: acting(({ sim }) => sim.api("GET /api/get-customer-thread-details?customerThreadId=9001")),
  },
  {
    name: "replies in another thread",
    says: /wrote to Priya Nair \(9003\) instead/,
    start: acting(({ say }) => say("Here", { customerThreadId: "9003" })),
  },
  {
    name: "replies in no thread",
    says: /wrote to thread 4711 instead, which does not exist/,
    start: acting(({ say }) => say("Here", { customerThreadId: "4711" })),
  },
  {
    name: "answers 500",
    says: /answered the webhook with 500: TypeError: Cannot read properties/,
    start: mute(
      answer(
        500,
        "TypeError: Cannot read properties of undefined (reading 'id')\n    at handler (bot.js:3:4)",
      ),
    ),
  },
  {
    name: "answers 404",
    says: /answered the webhook with 404: Cannot POST \/hook/,
    start: mute(answer(404, "Cannot POST /hook")),
  },
  {
    name: "answers 302",
    says: /answered the webhook with 302/,
    start: mute(answer(302, "", { location: "/login" })),
  },
  {
    name: "answers 401",
    says: /answered the webhook with 401: who are you/,
    start: mute(answer(401, "who are you?")),
  },
  {
    name: "never answers the webhook",
    says: /has not answered the webhook.*timeout at 10 s/,
    start: mute(() => {}),
  },
  {
    name: "replies, but holds the webhook",
    says: null,
    start: acting(
      ({ say }) => say("Here"),
      () => {},
    ),
  },
  {
    name: "closes the connection",
    says: /did not respond at .*closed/,
    start: mute((response) => response.destroy()),
  },
  {
    name: "does not listen",
    says: /could not be reached at .*connection refused.*Start your program/,
    start: async (around) => connect(around, `http://127.0.0.1:${await freePort()}/hook`),
  },
  {
    name: "speaks http where https was connected",
    says: /TLS/,
    start: async (around) => connect(around, (await serverOf(() => {})).replace("http:", "https:")),
  },
  {
    name: "is on a host that is not allowed",
    says: /blocked: .*--allow-outbound/,
    start: (around) => connect(around, "https://bot.example/hook"),
  },
  {
    name: "is on an address that is not allowed",
    says: /blocked: .*--allow-outbound/,
    start: (around) => connect(around, "http://93.184.216.34/hook"),
  },
  {
    name: "has an unknown token",
    says: refusal("Unknown token `my-prod-token`; use `acme-token`"),
    start: acting(({ say }) => say("Here", {}, "my-prod-token")),
  },
  {
    name: "has the token of another organization",
    says: refusal("`globex-token` is a token of Globex Services; use `acme-token`"),
    start: acting(({ say }) => say("Here", {}, "globex-token")),
  },
  {
    name: "has the token of another sandbox",
    sandbox: "shop",
    says: /used `acme-token` of sandbox default. The key for this conversation is `shop.acme-token`/,
    start: acting(({ say }) => say("Here")),
  },
  {
    name: "has no token",
    says: refusal("The call has no token; use `acme-token`"),
    start: posting(
      SEND_PATH,
      { "content-type": "application/json", authorization: "Bearer acme-token" },
      '{"customerThreadId":"9001","text":"Hi"}',
    ),
  },
  {
    name: "writes into a closed window",
    says: refusal("400 .*window is closed"),
    start: acting(async ({ control, say }) => {
      await control("POST /threads/9001/window", { open: false });
      await say("Here");
    }),
  },
  {
    name: "sends an unknown template",
    says: refusal("400 .*contentSid"),
    start: acting(({ say }) => say("", { text: undefined, contentSid: "issue_back" })),
  },
  {
    name: "leaves out the text",
    says: refusal("400 "),
    start: acting(({ say }) => say("", { text: undefined })),
  },
  {
    name: "has a field of the wrong name",
    says: refusal("400 .*customerThreadId"),
    start: posting(SEND_PATH, JSON_TYPE, '{"threadId":"9001","text":"Hi"}'),
  },
  {
    name: "sends no JSON",
    says: refusal("400 "),
    start: posting(SEND_PATH, JSON_TYPE, "{'customerThreadId': '9001'}"),
  },
  {
    name: "sends a form",
    says: refusal("4\\d\\d "),
    start: posting(
      SEND_PATH,
      { ...JSON_TYPE, "content-type": "application/x-www-form-urlencoded" },
      "customerThreadId=9001&text=Hi",
    ),
  },
  {
    name: "calls an unknown path",
    says: refusal("404 "),
    start: posting("/api/send-message", JSON_TYPE, '{"customerThreadId":"9001","text":"Hi"}'),
  },
  {
    name: "writes an internal message",
    says: /message is internal: the customer does not see it/,
    start: acting(({ say }) => say("Note", { internal: true })),
  },
  {
    name: "replies to its own messages",
    says: /messages in a row.*it replies to its own messages/,
    start: async (around) => {
      let left = 60;
      const url = await serverOf((request, response) => {
        request.resume();
        response.end();
        left -= 1;
        if (left > 0)
          void around.sim.api(SEND, { customerThreadId: "9001", text: `You said ${left}` }).catch(() => {});
      });
      await connect(around, url);
    },
  },
  {
    name: "meets a fault of calls",
    says: /Fault f\d+ answered your program's call with 503/,
    start: async (around) => {
      await replying(around);
      await around.control("POST /faults", { on: "request", then: "unavailable" });
    },
  },
  {
    name: "meets a fault of deliveries",
    says: /Fault f\d+ answered, in place of your program, the event for webhook crm: 503/,
    start: async (around) => {
      await replying(around);
      await around.control("POST /faults", { on: "delivery", then: "unavailable" });
    },
  },
  {
    name: "is not connected",
    says: /Webhook crm still points to sink:demo, a built-in receiver/,
    start: async () => {},
  },
  {
    name: "was connected before a reset",
    says: /Webhook crm still points to sink:demo, a built-in receiver/,
    start: async (around) => {
      await replying(around);
      await around.control("POST /reset");
    },
  },
  { name: "has a disabled webhook", says: /No webhook is enabled: crm/, start: webhook({ enabled: false }) },
  {
    name: "is subscribed to transfers alone",
    says: /No webhook is subscribed to messages: crm/,
    start: webhook({ subscribedEvents: ["transfers"] }),
  },
  {
    name: "fails in a thread that was resolved",
    thread: "9004",
    says: /answered the webhook with 500/,
    start: mute(answer(500)),
  },
];
