/** Looks whether a delivery is signed, but not whether the signature is right. */
import { listen, reply } from "../bot.mjs";

listen(({ data }, response, { headers }) => {
  const isSigned = headers["webhook-signature"] !== undefined;
  response.writeHead(isSigned ? 200 : 401).end();
  if (isSigned && data.fromCustomer) reply(data);
});
