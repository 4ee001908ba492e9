/** A scenario with one typo never runs green: it is refused with its place, or it fails; more in scenarios/diagnostics.test.ts. */
import { expect, it } from "vitest";
import { scratch } from "../scenarios/support.js";
import { run } from "./terminal.js";

/** What is right has time on a busy machine; what never comes is not waited for as long. */
const head = (within: string) => `token: acme-token\nthread: "9001"\nwithin: ${within}\nsteps:\n`;
const SEND =
  '  - request: POST /api/send-message-to-customer-thread\n    body: { customerThreadId: "9001", text: Hi }\n';
const DETAILS = "  - request: GET /api/get-customer-thread-details?customerThreadId=9001\n";
const HI = "  - customer: Hi\n";

/** A good step or more: `<right|typed>` is what is right in it, and what somebody typed instead. */
const TYPOS: readonly string[] = [
  // Keys and values
  "  - fault: { on: request, then: <unavailable|unavailble> }\n",
  // Ids, besides those of check.test.ts
  '  - expect: { none: { delivery: { threadId: "<9001|9O01>" } }, for: 5ms }\n',
  "  - expect: { none: { request: { token: <acme-token|acme-tokn> } }, for: 5ms }\n",
  // Paths and methods
  "  - request: GET /api/get-customer-<thread-details|thread-detials>?customerThreadId=9001\n    expect: 200\n",
  "  - request: GET /api/get-customer-thread-details?<customerThreadId|customerThreadld>=9001\n    expect: 200\n",
  "  - request: GET /api/<webhooks|webhoks>/\n",
  SEND.replace("send-message", "<send-message|send-mesage>"),
  SEND.replace("POST", "<POST|PUT>"),
  "  - expect: { none: { request: { path: </api/webhooks/|/api/webhoks/> } }, for: 5ms }\n",
  "  - control: GET /threads/9001/<transcript|transcrip>\n",
  // Placeholders and captures
  `${HI}  - log: on <\${thread}|\${thred}>\n`,
  `${DETAILS}    id: details\n  - log: \${<details.body|detials.body>.status}\n`,
  `${DETAILS}    id: details\n  - log: \${details.<body.status}|body.statu}>\n`,
  `${DETAILS}    capture: { state: <body.status|body.sttus> }\n  - log: \${state}\n`,
  `${DETAILS}    capture: <{ state:|{ stat:> body.status }\n  - log: \${state}\n`,
  // Fields, regular expressions, headers, durations
  "  - set: { collection: threads, id: 9001, <values: { status|values: { sttus>: waiting } }\n",
  `${HI}  - delivered: { body: { data: { messageBody: { $regex: <^Hi$|^Hi($> } } } }\n`,
  `${HI}  - delivered: { body: { data: { <messageBody|mesageBody>: Hi } } }\n`,
  "  - expect: { none: { delivery: { body: { data: { <messageBody|mesageBody>: Hi } } } }, for: 5ms }\n",
  "  - expect: { none: { request: { body: { <text|txt>: Hi } } }, for: 5ms }\n",
  "  - fault: { on: request, match: { body: { <contentSid|contentSId>: HX1 } }, then: unavailable }\n",
  `${SEND.replace("text: Hi", "<text|txt>: Hi")}    expect: 200\n`,
  SEND.replace("text: Hi", "<text|txet>: Hi"),
  `${DETAILS}    expect: { headers: { <content-type|content-tpye>: { $any: string } } }\n`,
  `${HI}  - emit: { event: message, data: { <messageBody|messageBdy>: Hi } }\n`,
  "  - snapshot: one\n  - <restore: one|restore: on>\n",
];

it("a scenario with one typo is not green: it is refused with its place, or fails", async () => {
  const write = scratch();
  const files = TYPOS.map((steps, row) => {
    const [right, typed] = ["$1", "$2"].map((part) => steps.replace(/<(.*)\|(.*)>/, part));
    expect(right).not.toBe(typed);
    const good = write(`good-${row}.yaml`, head("20s") + right);
    return [good, write(`typo-${row}.yaml`, head("1s") + typed)] as const;
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

it("takes a refusal that a step keeps under an id, which later steps look at", async () => {
  const text = `${head("1s")}
  - request: GET /api/webhooks/nobody
    id: missing
  - log: it was \${missing.status}
  - expect: { none: { request: { path: "/api/:kind/other", body: { colour: red } } }, for: 1ms }
`;
  const ran = await run(["run", scratch()("s.yaml", text)]);
  expect([ran.code, ran.err], ran.out).toEqual([0, ""]);
  expect(ran.out).toContain("it was 404");
});
