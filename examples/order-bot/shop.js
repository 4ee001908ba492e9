/** What both bots know of the shop. */
export const BUSINESS = process.env.BUSINESS ?? "1001";
/** The secret with which the service signs deliveries. */
export const SECRET = process.env.WEBHOOK_SECRET ?? "order-bot-secret";

/** Everything that a bot says begins like this: a message event does not tell who of the staff wrote it. */
export const PREFIX = "[bot] ";
/** What a bot says to a customer who comes back to it. The template of the same words is for a closed window. */
export const WELCOME = { text: `${PREFIX}Here I am again. Ask me for your order.`, template: "welcome_back" };

const ORDERS = { 4711: "is on its way", 4712: "is being packed", 4713: "was delivered" };

/** What to say to a customer, by which template where text may not be sent, and the thread's status afterwards. */
export function answerTo(message, name) {
  const template = "order_news";
  if (/thank/i.test(message)) return { text: `${PREFIX}You are welcome.`, template, status: "resolved" };
  const [order] = /\d{4}/.exec(message) ?? [];
  const text = order in ORDERS ? `order ${order} ${ORDERS[order]}.` : "tell me the number of your order.";
  return { text: `${PREFIX}${name}${text}`, template, status: "replied" };
}
