/** A scenario with one typo never runs green: it is refused with its place, or it fails. */
import { expect, it } from "vitest";
import { scratch } from "../scenarios/support.js";
import { run } from "./terminal.js";

const HEAD = 'token: acme-token\nthread: "9001"\nwithin: 1s\nsteps:\n';
const SEND =
  '  - request: POST /api/send-message-to-customer-thread\n    body: { customerThreadId: "9001", text: Hi }\n';
const DETAILS = "  - request: GET /api/get-customer-thread-details?customerThreadId=9001\n";
const HI = "  - customer: Hi\n";

/** A good step or more, what is right in it, and what somebody typed instead. */
const TYPOS: readonly (readonly [text: string, right: string, typed: string])[] = [
  // Keys
  [`${HI}  - delivered: message\n`, "delivered", "delivred"],
  [`${HI}  - delivered: { eventType: message, within: 1s }\n`, "within", "witin"],
  [`${DETAILS}    expect: 200\n`, "expect", "expct"],
  [`${DETAILS}    expect: { status: 200 }\n`, "status", "statu"],
  ["  - expect: { none: { delivery: { eventType: message } }, for: 5ms }\n", "for", "fro"],
  ["  - fault: { on: request, times: 1, then: slow }\n", "times", "tims"],
  ["  - repeat: { times: 2, steps: [{ log: Hi }] }\n", "times", "time"],
  // Values of closed sets
  ["  - window: closed\n", "closed", "close"],
  ["  - status: resolved\n", "resolved", "resolvd"],
  [`${HI}  - delivered: message\n`, "message\n", "mesage\n"],
  ["  - emit: { event: transfer }\n", "transfer", "transfers"],
  ["  - fault: { on: request, then: unavailable }\n", "unavailable", "unavailble"],
  ["  - expect: { none: { delivery: { status: failed } }, for: 5ms }\n", "failed", "faild"],
  [
    "  - expect: { none: { request: { operation: createWebhook } }, for: 5ms }\n",
    "createWebhook",
    "createWebook",
  ],
  ["  - expect: { none: { request: { method: POST } }, for: 5ms }\n", "POST", "PSOT"],
  ["  - behaviour: { window.duration: 24h }\n", "window.duration", "window.duraton"],
  ["  - behaviour: { window.duration: 24h }\n", "24h", "24hh"],
  // Ids, besides those of references.test.ts
  ['  - expect: { none: { delivery: { threadId: "9001" } }, for: 5ms }\n', "9001", "9O01"],
  ["  - expect: { none: { request: { token: acme-token } }, for: 5ms }\n", "acme-token", "acme-tokn"],
  // Paths and methods
  [`${DETAILS}    expect: 200\n`, "thread-details", "thread-detials"],
  [`${DETAILS}    expect: 200\n`, "customerThreadId", "customerThreadld"],
  ["  - request: GET /api/webhooks/\n", "webhooks", "webhoks"],
  [`${SEND}`, "send-message", "send-mesage"],
  [`${SEND}`, "POST", "PUT"],
  [
    "  - expect: { none: { request: { path: /api/webhooks/ } }, for: 5ms }\n",
    "/api/webhooks/",
    "/api/webhoks/",
  ],
  ["  - control: GET /threads/9001/transcript\n", "transcript", "transcrip"],
  // Placeholders and captures
  [`${HI}  - log: on \${thread}\n`, "${thread}", "${thred}"],
  [`${DETAILS}    id: details\n  - log: \${details.body.status}\n`, "details.body", "detials.body"],
  [`${DETAILS}    id: details\n  - log: \${details.body.status}\n`, "body.status}", "body.statu}"],
  [`${DETAILS}    capture: { state: body.status }\n  - log: \${state}\n`, "body.status", "body.sttus"],
  [`${DETAILS}    capture: { state: body.status }\n  - log: \${state}\n`, "{ state:", "{ stat:"],
  // Fields, regular expressions, headers, durations
  [
    "  - set: { collection: threads, id: 9001, values: { status: waiting } }\n",
    "values: { status",
    "values: { sttus",
  ],
  [
    "  - expect: { state: { collection: threads, id: 9001, values: { status: waiting } } }\n",
    "threads",
    "thread",
  ],
  [`${HI}  - delivered: { body: { data: { messageBody: { $regex: ^Hi$ } } } }\n`, "^Hi$", "^Hi($"],
  [`${HI}  - delivered: { body: { data: { messageBody: { $regex: ^Hi$ } } } }\n`, "$regex", "$regx"],
  [`${HI}  - delivered: { body: { data: { messageBody: Hi } } }\n`, "messageBody", "mesageBody"],
  [
    "  - expect: { none: { delivery: { body: { data: { messageBody: Hi } } } }, for: 5ms }\n",
    "messageBody",
    "mesageBody",
  ],
  ["  - expect: { none: { request: { body: { text: Hi } } }, for: 5ms }\n", "text", "txt"],
  [
    "  - fault: { on: request, match: { body: { contentSid: HX1 } }, then: unavailable }\n",
    "contentSid",
    "contentSId",
  ],
  [`${SEND}    expect: 200\n`, "text: Hi", "txt: Hi"],
  [`${SEND}`, "text: Hi", "txet: Hi"],
  [`${DETAILS}    expect: { headers: { content-type: { $any: string } } }\n`, "content-type", "content-tpye"],
  [`${HI}  - emit: { event: message, data: { messageBody: Hi } }\n`, "messageBody", "messageBdy"],
  ["  - advance: 25h\n", "25h", "25hr"],
  ["  - snapshot: one\n  - restore: one\n", "restore: one", "restore: on"],
];

it("a scenario with one typo is not green: it is refused with its place, or fails", async () => {
  const write = scratch();
  const files = TYPOS.map(([text, right, typed], row) => {
    expect(text).toContain(right);
    const typo = HEAD + text.replace(right, () => typed);
    return [write(`good-${row}.yaml`, HEAD + text), write(`typo-${row}.yaml`, typo)] as const;
  });
  const good = await run(["run", ...files.map(([file]) => file)]);
  expect([good.code, good.err], good.out).toEqual([0, ""]);
  let typos = files.map(([, file]) => file);
  const unplaced = (output: string) =>
    typos.filter((file) => !new RegExp(`${file.replaceAll(".", "\\.")}:\\d+:\\d+  `).test(output));
  // Where a file is refused, none is run: the others follow.
  let ran = await run(["run", ...typos]);
  while (ran.code === 2) {
    const others = unplaced(ran.err);
    expect(others.length, ran.err).toBeLessThan(typos.length);
    typos = others;
    ran = await run(["run", ...typos]);
  }
  expect([unplaced(ran.out), ran.err]).toEqual([[], ""]);
  expect(ran.out).toContain(`${typos.length} scenarios: ${typos.length} failed\n`);
});

it("takes answers that nobody expects where the call is not what is wrong, or somebody looks at them", async () => {
  const text = `${HEAD}
  - fault: { on: request, times: 1, then: unavailable }
  - request: GET /api/webhooks/
  - request: GET /api/webhooks/nobody
    id: missing
  - log: it was \${missing.status}
  - expect: { none: { request: { path: "/api/:kind/other", body: { colour: red } } }, for: 1ms }
`;
  const ran = await run(["run", scratch()("s.yaml", text)]);
  expect([ran.code, ran.err], ran.out).toEqual([0, ""]);
  expect(ran.out).toContain("it was 404");
});
