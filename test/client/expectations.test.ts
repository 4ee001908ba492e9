import { expect, it } from "vitest";
import { ExpectationError, type ReplyMatch, type WaitOptions } from "../../src/client/index.js";
import { rejection, startClients } from "../support/client.js";
import { heldReceiver } from "../support/server.js";

it("waiting for a reply returns each visible message once, oldest first, including earlier ones", async () => {
  const { sandbox, bot } = await startClients();
  await bot("One", { customerThreadId: 9001 });
  await bot("Psst", { internal: true });
  const contentSid = "HX00000000000000000000000000000002";
  await bot("Elsewhere", { customerThreadId: "9002", contentSid, text: undefined });
  await bot("Two");
  const first = { text: "One", contentSid: null, request: { id: "r1" } };
  expect(await sandbox.waitForReply("9001")).toMatchObject(first);
  expect(await sandbox.waitForReply(9001)).toMatchObject({ text: "Two" });
  const third = sandbox.waitForReply("9001");
  await bot("Three");
  expect(await third).toMatchObject({ text: "Three" });
  await expect(sandbox.waitForReply("9001", {}, { within: 20 })).rejects.toThrow(
    "No reply in thread 9001 within 20 ms besides 3 returned before\n",
  );
});

it("waiting for a reply waits as long as it is told: by its options, else by the match, else by the client", async () => {
  const { sandbox } = await startClients({}, { within: 7 });
  const waited = async (...how: [reply?: ReplyMatch, options?: WaitOptions]) =>
    /within \d+ ms/.exec((await rejection(sandbox.waitForReply("9001", ...how))).message)?.[0];
  expect(await waited({}, { within: 20 })).toBe("within 20 ms");
  expect(await waited({ within: 30 })).toBe("within 30 ms");
  expect(await waited({ within: "60s" }, { within: 20 })).toBe("within 20 ms");
  expect(await waited()).toBe("within 7 ms");
});

it("waiting for a reply is immediate even after the journal has evicted earlier replies", async () => {
  const { sandbox, bot } = await startClients({ journalLimit: 20 });
  for (let n = 0; n < 30; n += 1) {
    await bot(`${n}`);
    expect(await sandbox.waitForReply("9001")).toMatchObject({ text: `${n}` });
  }
});

it("waiting for a reply starts over after a reset, also one by another client during the wait", async () => {
  const { sim, sandbox, bot } = await startClients();
  const reset = () => sim.control("POST /sandboxes/s1/reset");
  await bot("Before");
  await sandbox.waitForReply("9001", "Before");
  await sandbox.reset();
  await bot("After");
  expect(await sandbox.waitForReply("9001")).toMatchObject({ text: "After", request: { id: "r1" } });
  await reset();
  await bot("Again");
  expect(await sandbox.waitForReply("9001", {}, { within: 0 })).toMatchObject({ text: "Again" });
  const waiting = sandbox.waitForReply("9001");
  await expect.poll(() => sim.registry.get("s1")?.openWaits).toBe(1);
  await reset();
  await bot("At last");
  expect(await waiting).toMatchObject({ text: "At last", request: { id: "r1" } });
});

it.each<[unknown, string | undefined, string?]>([
  [/^hello!$/im, "Hello!"],
  [{ matches: /Hello/ }, "Hello!"],
  [/hello/, undefined, "No reply in thread 9001 within 5 ms"],
  [{ includes: "Hello" }, undefined, 'unknown field "includes"'],
  [{ contain: "Hello" }, undefined, 'did you mean "contains"?'],
  [{ contains: /Hello/ }, undefined, "for.reply.contains: must be a string"],
  [{ matches: "(" }, undefined, "for.reply.matches: must be a regular expression"],
  [{ template: "none" }, undefined, 'there is no template "none"'],
  [
    { within: "soon" },
    undefined,
    'a time limit must be a duration such as "2s", or milliseconds, but is "soon"',
  ],
  [5, undefined, "for.reply.text: must be a string"],
])("waiting for a reply takes %s for what it is: %s %s", async (asked, text, problem = "") => {
  const { sandbox, bot } = await startClients({}, { within: 5 });
  await bot("Hello!");
  const reply = sandbox.waitForReply("9001", asked as string);
  if (text === undefined) await expect(reply).rejects.toThrow(problem);
  else expect(await reply).toMatchObject({ text });
});

it("waiting for a reply shows what came instead, and the differences", async () => {
  const { sandbox, bot } = await startClients();
  await bot("Good bye");
  const error = await rejection(sandbox.waitForReply("9001", { matches: "hello", within: "20ms" }));
  expect(error).toBeInstanceOf(ExpectationError);
  expect(error).toMatchObject({ status: 408, code: "expectation", count: 0, nearMisses: [{ id: "r1" }] });
  expect(error.message).toContain(
    'within 20 ms\n  expected:\n    thread: "9001"\n    matches: "hello"\n  Nearest:\n  r1  POST /api/send-',
  );
  expect(error.message).toContain("body.text  expected text that matches /(?i)hello/\n");
});

it("waiting for requests and deliveries returns each once", async () => {
  const { sandbox, bot } = await startClients();
  await bot("One");
  await bot("Two");
  const match = { operation: "sendMessageToCustomerThread" } as const;
  expect(await sandbox.waitForRequest(match)).toMatchObject({ body: { text: "One" } });
  expect(await sandbox.waitForRequest(match)).toMatchObject({ body: { text: "Two" } });
  expect((await sandbox.waitForDelivery("message")).body).toMatchObject({ data: { messageBody: "One" } });
  const second = { eventType: "message", body: { data: { messageBody: { $contains: "wo" } } } } as const;
  expect((await sandbox.waitForDelivery(second)).status).toBe("delivered");
});

it("waiting for requests and deliveries waits until a delivery has ended, unless a status is given", async () => {
  const { sandbox } = await startClients();
  await sandbox.sink("demo").answer({ status: 503 });
  await sandbox.patchBehaviour({ "delivery.attempts": 2, "delivery.backoff": ["1m"] });
  await sandbox.customerSays("9001", "Hello");
  const pending = await sandbox.waitForDelivery({ eventType: "message", status: "pending" });
  expect(pending.id).toBe("d1");
  const early = await rejection(sandbox.waitForDelivery("message", { within: 20 }));
  expect(early.message).toContain('status  expected not "pending"');
  await sandbox.advance("1m");
  expect(await sandbox.deliveries()).toMatchObject([{ status: "failed", attempts: [{}, { status: 503 }] }]);
});

it("waiting for requests and deliveries can be for idleness", async () => {
  const { sandbox } = await startClients();
  await sandbox.idle();
  const receiver = await heldReceiver();
  await sandbox.connect(receiver.url.replace("http://", ""));
  await sandbox.customerSays("9001", "Hello");
  const error = await rejection(sandbox.idle({ within: 20 }));
  expect(error).toBeInstanceOf(ExpectationError);
  expect(error.message).toBe("not idle after 20 ms: in flight are d1");
  receiver.release();
  await sandbox.idle();
  expect((await sandbox.deliveries())[0]?.status).toBe("delivered");
});

it("expecting nothing succeeds if nothing has come since the test caused a delivery, and nothing comes", async () => {
  const { sandbox, bot } = await startClients();
  await bot("Before");
  await sandbox.customerSays("9001", "Hello");
  await sandbox.silent("9001", "20ms");
  await sandbox.expectNone({ requests: {} }, 20);
  await sandbox.expectNone({ deliveries: { eventType: "transfer" } }, 20);
  const unknown = await rejection(sandbox.silent("9999", 20));
  expect(unknown.message).toContain('there is no thread "9999"');
});

it("expecting nothing fails as soon as something comes, and shows it", async () => {
  const { sandbox, bot } = await startClients();
  await bot("Before");
  await sandbox.customerSays("9001", "Hello");
  expect((await interrupted(sandbox.silent("9001", 10_000), bot)).message).toMatch(
    /^expected no visible message in thread 9001 for 10000 ms, but this arrived: "Now"\n {2}r\d+ {2}POST .* → 200\n.*"text":"Now"/,
  );
  await sandbox.setStatus("9001", "resolved");
  const none = sandbox.expectNone({ deliveries: { eventType: "transfer" } }, 10_000);
  const error = await interrupted(none, async () => void (await sandbox.emit("transfer")));
  expect(error).toMatchObject({ name: "ExpectationError", nearMisses: [] });
  expect(error.message).toMatch(
    /^expected no delivery for 10000 ms, but this arrived: transfer to crm .*\n {2}d\d+ {2}transfer/,
  );
});

it("expecting nothing sees what came before it was asked, unless a wait has returned it", async () => {
  const { sandbox, bot } = await startClients();
  await sandbox.customerSays("9001", "Hello");
  await bot("At once");
  await sandbox.advance("1h");
  await sandbox.idle();
  const calls = { requests: { operation: "sendMessageToCustomerThread" } } as const;
  await expect(sandbox.silent("9001", 0)).rejects.toThrow("no visible message in thread 9001");
  await expect(sandbox.expectNone(calls, 0)).rejects.toThrow("no request");
  await sandbox.waitForReply("9001", "At once");
  await sandbox.silent("9001", 0);
  await sandbox.expectNone(calls, 0);
  await bot("Twice");
  await expect(sandbox.silent("9001", 0)).rejects.toThrow('"text":"Twice"');
  await sandbox.waitForRequest({ body: { text: "Twice" } });
  await sandbox.silent("9001", 0);
  // What a scenario of the test has used up counts too, and a reset begins anew.
  const greets = { thread: "9001", steps: [{ customer: "Hi" }, { reply: { text: "Hi" } }] };
  const running = sandbox.run(greets);
  await sandbox.waitForDelivery({ eventType: "message", body: { data: { messageBody: "Hi" } } });
  await bot("Hi");
  expect(await running).toMatchObject({ ok: true });
  await sandbox.silent("9001", 0);
  await sandbox.reset();
  await bot("Again");
  await expect(sandbox.silent("9001", 0)).rejects.toThrow('"text":"Again"');
});

/** The error of a wait for silence, while messages are sent until it fails. */
async function interrupted(silence: Promise<void>, bot: (text: string) => Promise<void>) {
  let over = false;
  const error = rejection(silence).finally(() => {
    over = true;
  });
  while (!over) await bot("Now");
  return error;
}

it.each([
  [1, "expected exactly 1 request, but 0 match"],
  [undefined, "expected at least 1 request, but 0 match"],
  [{ min: 2 }, "expected at least 2 requests, but 0 match"],
  [{ min: 2, max: 3 }, "expected 2 to 3 requests, but 0 match"],
] as const)("verifying fails with near misses when there are not %j", async (count, words) => {
  const { sandbox, bot } = await startClients();
  await bot("One");
  const what = { requests: { body: { text: "Two" } } };
  const error = await rejection(sandbox.verify(count === undefined ? what : { ...what, count }));
  expect(error).toMatchObject({ name: "ExpectationError", status: 422, nearMisses: [{ id: "r1" }] });
  expect(error.message.split("\n")[0]).toBe(words);
  expect(error.message).toContain('      body.text  expected "Two"\n                 seen     "One"');
});

it("verifying accepts a RegExp anywhere in a match", async () => {
  const { sandbox, bot } = await startClients();
  await bot("Two");
  await sandbox.verify({ requests: { body: { text: /^t/i } } });
  const failed = sandbox.verify({ requests: { body: { text: /^t/ } } });
  await expect(failed).rejects.toThrow("text that matches /^t/");
});

it("verifying names the newest entries if there are too many, and how many were evicted if there are too few", async () => {
  const { sandbox, bot } = await startClients({ journalLimit: 2 });
  for (const text of ["One", "Two", "Three"]) await bot(text);
  await expect(sandbox.verify({ requests: {}, count: { max: 1 } })).rejects.toThrow(
    /^expected 0 to 1 request, but 2 match.*the newest: r2, r3/s,
  );
  await expect(sandbox.verify({ requests: {}, count: 3 })).rejects.toThrow(
    "evicted entries that might have matched: 1",
  );
});
