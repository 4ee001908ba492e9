/** Which thread a call is about, and which calls are replies to its customer: client, server and scenarios say it alike. */

interface NamingCall {
  readonly body: unknown;
  readonly query: Readonly<Record<string, string>>;
  readonly response: unknown;
}

const threadIn = (value: unknown): unknown =>
  (value as { readonly customerThreadId?: unknown } | null)?.customerThreadId;

/** The thread that a call names or has created. */
export function threadOfRequest({ body, query, response }: NamingCall): string | null {
  const id = threadIn(body) ?? query.customerThreadId ?? threadIn(response);
  return typeof id === "string" || typeof id === "number" ? String(id) : null;
}

/** The calls by the system under test that put a message that the customer can see into a thread. */
export const visibleMessages = (threadId: string | number) =>
  ({
    by: "client",
    operation: "sendMessageToCustomerThread",
    succeeded: true,
    // The thread's id may have been sent as text or as the number that events carry.
    body: { customerThreadId: { $oneOf: [String(threadId), Number(threadId)] }, internal: { $not: true } },
  }) as const;
