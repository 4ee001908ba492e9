const TEMPLATE = "HX00000000000000000000000000000002";

/** Your program: tells a customer that an order is ready, by a template where free text is refused. */
exports.notify = async ({ url, token }, customerThreadId) => {
  const send = (message) =>
    fetch(`${url}/api/send-message-to-customer-thread`, {
      method: "POST",
      headers: { token, "content-type": "application/json" },
      body: JSON.stringify({ customerThreadId, ...message }),
    });
  const answer = await send({ text: "Your order is ready." });
  return answer.status === 400 ? send({ contentSid: TEMPLATE }) : answer;
};
