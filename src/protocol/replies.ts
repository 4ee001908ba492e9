/** Which calls are replies to a customer: client, server and scenarios say it alike. */

/** The calls by the system under test that put a message that the customer can see into a thread. */
export const visibleMessages = (threadId: string | number) =>
  ({
    by: "client",
    operation: "sendMessageToCustomerThread",
    succeeded: true,
    // The thread's id may have been sent as text or as the number that events carry.
    body: { customerThreadId: { $oneOf: [String(threadId), Number(threadId)] }, internal: { $not: true } },
  }) as const;
