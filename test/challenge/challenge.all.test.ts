import { expect, it } from "vitest";
import { keysOf } from "../../src/kernel/objects.js";
import { CHALLENGE_KINDS } from "../../src/lab/challenge/kinds.js";
import { run } from "../cli/terminal.js";
import { scratch } from "../scenarios/support.js";
import { CONVERSATION, LEGACY, MISTAKES, SECRET } from "./bot.js";
import { botWith, broken, kindsIn, only, programOptions } from "./support.js";

it.each([
  [
    "behind a legacy webhook, which gets each event once",
    { variant: { isLegacy: true }, source: LEGACY },
    ["duplicated", "sent-again", "unknown-event"],
  ],
  [
    "that goes by webhook-id and takes documented types only",
    { variant: { byDelivery: true, isStrict: true } },
    [],
  ],
] as const)("breaks a bot nowhere %s", { timeout: 300_000 }, async (_, bot, missing: readonly string[]) => {
  const { code, report } = await (await botWith(bot)).challenged();
  expect(broken(report)).toEqual([]);
  expect(code).toBe(0);
  const kinds = keysOf(CHALLENGE_KINDS).filter((kind) => !missing.includes(kind));
  expect(kindsIn(report)).toEqual(kinds.sort());
});

it.each(keysOf(CHALLENGE_KINDS))(
  "%s finds the mistake that it is meant for",
  { timeout: 300_000 },
  async (kind) => {
    expect(MISTAKES[kind]).not.toBe("");
    // A window that closes hides what is sent once too often.
    const source = /^(templates|lost)/.test(kind) ? {} : { source: CONVERSATION };
    const { code, report } = await (await botWith({ mistake: kind, ...source })).challenged(...only(kind));
    const found = broken(report);
    expect(found.map(({ name }) => name.split("/")[0])).toContain(kind);
    expect(code).toBe(1);
    expect(report.causes[0]).toMatchObject({ kind, breaks: expect.any(Number) });
    for (const { message, broke, about, why, remedy, place, repeat } of found) {
      expect([message, broke]).not.toContain("");
      expect(place).toMatchObject({ line: expect.any(Number) });
      expect([about, why, remedy].every((text) => text.length > 20)).toBe(true);
      expect(repeat).toContain(`--only '${kind}`);
    }
  },
);

/** Right, and in Python: what it has answered it knows by `webhook-id`. */
const PYTHON = `
import base64, hashlib, hmac, json, os, sys, threading, time, urllib.error, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

api, token = os.environ["MESSAGING_SIM_URL"], os.environ["MESSAGING_SIM_TOKEN"]
seen, echoes, lock = set(), set(), threading.Lock()

def say(thread, text):
    echoes.discard((thread, text))
    body = json.dumps({"customerThreadId": thread, "text": text}).encode()
    headers = {"token": token, "Content-Type": "application/json"}
    for _ in range(5):
        request = urllib.request.Request(api + "/api/send-message-to-customer-thread", body, headers)
        try:
            return urllib.request.urlopen(request).close()
        except urllib.error.HTTPError as error:
            if error.code not in (429, 503):
                return
            time.sleep(float(error.headers.get("Retry-After") or 0.05))
        except OSError:
            for _ in range(100):
                if (thread, text) in echoes:
                    return
                time.sleep(0.01)

class Hook(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        id, at = self.headers["webhook-id"], self.headers["webhook-timestamp"]
        mac = hmac.new(b"${SECRET}", f"{id}.{at}.".encode() + raw, hashlib.sha256).digest()
        right = "v1," + base64.b64encode(mac).decode()
        genuine = hmac.compare_digest(right, self.headers["webhook-signature"]) and abs(time.time() - int(at)) <= 300
        self.send_response(200 if genuine else 401)
        self.send_header("Content-Length", "0")
        self.end_headers()
        self.wfile.flush()
        event = json.loads(raw)
        if not genuine or event["eventType"] != "message":
            return
        data = event["data"]
        with lock:
            is_new = id not in seen
            seen.add(id)
        if not data["fromCustomer"]:
            echoes.add((str(data["customerThreadId"]), data["messageBody"]))
        elif is_new:
            # The next event may come over the same connection while this one is answered.
            said = (str(data["customerThreadId"]), "You said " + data["messageBody"])
            threading.Thread(target=say, args=said).start()

    def log_message(self, *args):
        pass

ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Hook).serve_forever()
`;

it("breaks a bot in Python nowhere, which is started with the command", { timeout: 300_000 }, async () => {
  const file = scratch()(
    "talk.yaml",
    `name: Repeats\nthread: "9001"\nwithin: 5s\nbehaviour:\n  delivery.signature: { scheme: standard-webhooks, secrets: ["${SECRET}"] }
steps:\n  - customer: one\n  - reply: You said one\n  - customer: two\n  - reply: You said two\n`,
  );
  const bot = await programOptions(PYTHON, "bot.py");
  const { code, out, err } = await run(["challenge", file, "--reporter", "json", ...bot]);
  expect(err).toBe("");
  expect(broken(JSON.parse(out))).toEqual([]);
  expect(JSON.parse(out).challenges.length).toBeGreaterThan(25);
  expect(code).toBe(0);
});
