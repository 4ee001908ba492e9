/** One example of each step of a scenario, below `steps:` of a scenario whose thread is 9001. */
export const STEP_EXAMPLES: Readonly<Record<string, string>> = {
  customer: "- customer: Is my order ready?",
  employee: `- employee: { user: "501", says: I take over }`,
  reply: "- reply: { contains: order, within: 2s }",
  silent: "- silent: 300ms",
  emit: `- emit: { event: message, data: { customerThreadId: 9001, messageBody: Hello again }, times: 2 }`,
  delivered: "- delivered: { eventType: message, body: { data: { fromCustomer: true } } }",
  advance: "- advance: 25h",
  wait: "- wait: 100ms",
  log: "- log: The customer asks again",
  repeat: `- repeat:
    times: 3
    steps:
      - customer: Question \${round}`,
  request: `- request: POST /api/send-message-to-customer-thread
  token: acme-token
  body: { customerThreadId: "9001", text: It is on its way }
  expect: { status: 400, body: { error: { $contains: window } } }`,
  control: `- control: POST /threads/9001/window
  body: { open: true }`,
  expect: `- expect:
    request: { operation: sendMessageToCustomerThread, status: 200 }
    count: 2
    within: 3s
- expect: { state: { collection: threads, id: "9001", values: { status: replied } } }
- expect: { none: { delivery: { eventType: transfer } }, for: 200ms }`,
  window: "- window: closed",
  transfer: `- transfer: { to: "1002", by: "502" }`,
  status: "- status: resolved",
  set: `- set: { collection: businesses, id: "1001", values: { online: false } }`,
  snapshot: "- snapshot: before the outage",
  restore: `- snapshot: before the outage
- restore: before the outage`,
  reset: "- reset: true",
  fault:
    "- fault: { on: request, match: { operation: sendMessageToCustomerThread }, times: 2, then: unavailable }",
  clearFaults: "- clearFaults: true",
  behaviour: "- behaviour: { window.duration: 24h, delivery.attempts: 3 }",
};
