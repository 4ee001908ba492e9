import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { Running } from "../support/simulator.js";
import { startSimulator } from "../support/simulator.js";
import { seen, useBrowser } from "./browser.js";

const open = useBrowser();

/** A bot with one bug, in a sandbox of its own. */
interface Bug {
  readonly sandbox: string;
  /** What its receiver answers; 200 if not said otherwise. */
  readonly status?: number;
  /** The token that its answers carry; without one it does not answer. */
  readonly token?: string;
  /** Whether it answers everything that it is told of, its own messages too. */
  readonly answersAll?: boolean;
  /** A control call that is the bug. */
  readonly call?: readonly [route: string, body: object];
  /** What the page says at the end of the conversation. */
  readonly says: RegExp;
}

const BUGS: readonly Bug[] = [
  // A call whose token nobody has belongs to the sandbox `default`.
  { sandbox: "default", token: "acme-tokn", says: /No answer for .*: the call was refused: 401 .*token/i },
  {
    sandbox: "disabled",
    call: ["PATCH /data/webhooks/1", { enabled: false }],
    says: /No answer for .*: no webhook is enabled: crm is disabled/,
  },
  { sandbox: "answers-500", status: 500, says: /No answer for .*: webhook crm: 500 in / },
  {
    sandbox: "closed-window",
    token: "acme-token",
    call: ["POST /threads/9001/window", { open: false }],
    says: /No answer for .*: the call was refused: 400 The messaging window is closed: send a template/,
  },
  {
    sandbox: "own-message",
    token: "acme-token",
    answersAll: true,
    says: /\d+ messages without one of the customer: does the bot answer its own\?/,
  },
];

/** One receiver for all bots, each below the name of its sandbox. An own message is answered only so often, as it would be forever. */
async function startBots(sim: Running): Promise<string> {
  let answers = 0;
  const server = createServer((request, response) => {
    const bug = BUGS.find(({ sandbox }) => request.url === `/${sandbox}`);
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      response.writeHead(bug?.status ?? 200).end();
      const { data } = JSON.parse(Buffer.concat(pieces).toString());
      if (bug?.token === undefined || !(data.fromCustomer || bug.answersAll) || answers > 9) return;
      if (bug.answersAll) answers += 1;
      const token = bug.sandbox === "default" ? bug.token : `${bug.sandbox}.${bug.token}`;
      const body = { customerThreadId: String(data.customerThreadId), text: "Hello back" };
      sim.api("POST /api/send-message-to-customer-thread", body, { token }).catch(() => {});
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("after one message of a customer, and without a click, the page names what is wrong with a bot", async () => {
  const sim = await startSimulator();
  const bots = await startBots(sim);
  const page = await open(sim, { search: "?thread=9001" });
  for (const { sandbox, call, says } of BUGS) {
    await sim.control(`PUT /sandboxes/${sandbox}`, {});
    await sim.control(`POST /sandboxes/${sandbox}/connect`, { url: `${bots}/${sandbox}` });
    const [method, path] = call?.[0].split(" ") ?? [];
    if (call !== undefined)
      expect((await sim.control(`${method} /sandboxes/${sandbox}${path}`, call[1])).status).toBe(200);
    await page.goto(`${sim.url}/__sim/ui/?sandbox=${sandbox}&thread=9001`);
    await seen(page.getByText("Live", { exact: true }));
    await page.getByRole("textbox", { name: "Write as the customer" }).fill("Where is it?");
    await page.keyboard.press("Enter");
    const end = page.getByRole("log", { name: "Conversation" }).locator(".due");
    await expect.poll(() => end.innerText(), { message: sandbox }).toMatch(says);
  }
});
