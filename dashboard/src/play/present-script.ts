import { SimError } from "../../../src/client/errors.js";
import type { Transport } from "../../../src/client/transport.js";
import type { Session } from "../model/session";
import type { SandboxInfo } from "../model/types";

const THREAD = "9001";
const TEMPLATE = "HX00000000000000000000000000000001";
const TOKEN = "bot-token";

/** How long a step stands before the next one, ms: the script takes a minute. */
export const STEP_MS = 7_000;
/** How long the sandbox stays where the page goes away before the end, ms of real time. */
const TTL_MS = 900_000;

/** One conversation of one business, whose webhook goes to a built-in receiver. */
const WORLD = {
  fixtures: {
    organizations: [{ id: "200", name: "Acme Retail" }],
    businesses: [
      {
        id: "1001",
        organizationId: "200",
        name: "Acme Paris",
      },
    ],
    users: [
      {
        id: "501",
        organizationId: "200",
        email: "bot@acme.example",
        displayName: "Acme bot",
        businessIds: ["1001"],
      },
    ],
    tokens: [{ id: TOKEN, userId: "501" }],
    customers: [
      { id: "cust_001", organizationId: "200", displayName: "Alan Johnson", phoneNumber: "+15551234567" },
    ],
    threads: [
      {
        id: THREAD,
        businessId: "1001",
        customerId: "cust_001",
        channel: "WHATSAPP",
        status: "waiting",
        isMessagingWindowOpen: true,
      },
    ],
    templates: [
      {
        id: TEMPLATE,
        organizationId: "200",
        title: "order_ready",
        text: "Your order has arrived in the shop. Reply YES to have it delivered.",
      },
    ],
    webhooks: [
      {
        id: "1",
        hookId: "bot",
        organizationId: "200",
        url: "sink:bot",
        subscribedEvents: ["messages"],
      },
    ],
  },
  behaviour: {
    "window.duration": "24h",
    "window.channels": ["WHATSAPP"],
    "delivery.attempts": 3,
    "delivery.backoff": ["30s"],
  },
  ttlMs: TTL_MS,
};

/** The sandbox of a presentation. */
export interface Stage {
  readonly sandbox: string;
  readonly thread: string;
  readonly transport: Transport;
}

/** Makes a sandbox for a presentation, whatever else the server has. @throws SimError */
export async function setStage({ server }: Session): Promise<Stage> {
  const { id } = await server.call<SandboxInfo>("POST", "/sandboxes", { body: WORLD });
  return { sandbox: id, thread: THREAD, transport: server.ofSandbox(id) };
}

const customer = (text: string) => (stage: Stage) =>
  stage.transport.call("POST", `/threads/${THREAD}/inbound`, { body: { text } });

const advance = (by: string) => (stage: Stage) =>
  stage.transport.call("POST", "/clock/advance", { body: { by } });

/** What a bot would send, through the simulated API. */
const bot =
  (content: { readonly text: string } | { readonly contentSid: string }) =>
  async ({ sandbox }: Stage) => {
    const sent = await fetch("/api/send-message-to-customer-thread", {
      method: "POST",
      headers: { token: `${sandbox}.${TOKEN}`, "Content-Type": "application/json" },
      body: JSON.stringify({ customerThreadId: THREAD, ...content }),
      credentials: "omit",
    }).catch(() => null);
    if (sent === null) throw new SimError("The simulator does not respond.", null, "unreachable");
  };

interface Step {
  readonly caption: string;
  readonly act: (stage: Stage) => Promise<unknown>;
}

/** The minute, step by step: nothing of it needs a bot. */
export const STEPS: readonly Step[] = [
  {
    caption: "A customer writes. The simulator sends the event to the webhook of your bot.",
    act: customer("Hello, when will my order arrive?"),
  },
  {
    caption: "Your bot replies through the API. The call and its webhooks appear in the conversation.",
    act: bot({ text: "It arrives in the shop tomorrow." }),
  },
  { caption: "The clock moves 25 hours ahead: the messaging window closes.", act: advance("25h") },
  {
    caption: "Your bot writes again. The call is refused, because the window is closed.",
    act: bot({ text: "Your order is here." }),
  },
  { caption: "A template may be sent while the window is closed.", act: bot({ contentSid: TEMPLATE }) },
  {
    caption: "The customer replies, and the window opens. The receiver fails, so this webhook is lost.",
    act: async (stage) => {
      await stage.transport.call("POST", "/faults", {
        body: { on: "delivery", times: 1, then: "unavailable" },
      });
      await customer("YES")(stage);
    },
  },
  { caption: "30 seconds later the webhook is sent again, and arrives.", act: advance("30s") },
  {
    caption: "Your bot replies. Every step can be opened, replayed and saved as a test.",
    act: bot({ text: "Thank you, it is on its way to you." }),
  },
];
