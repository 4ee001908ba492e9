import { connect } from "../../domain/connection.js";
import { isSendable } from "../../domain/headers.js";
import { HOPS_HEADER } from "../../http/hops.js";
import type { InferReadonly } from "../../kernel/schema.js";
import { array, boolean, nullable, object, optional, string } from "../../kernel/schema.js";
import { headerName, webhookUrl } from "../../world/fields.js";
import { unusable } from "../control-error.js";
import { apiKeyIn } from "../inputs.js";
import { route } from "../route.js";

const connectedSchema = object(
  {
    id: string(),
    hookId: string(),
    organizationId: string(),
    url: string(),
    previousUrl: nullable(string(), { description: "null for a webhook that is new" }),
    token: nullable(string(), { description: "the fixture's token that `header` brings; null for none" }),
    enabled: boolean({ description: "false: it gets nothing" }),
    changed: boolean({ description: "false: it was like that already" }),
  },
  { title: "connected webhook" },
);
const connectionSchema = object({ webhooks: array(connectedSchema) });
/** What pointing a sandbox at an address has changed. */
export type Connection = InferReadonly<typeof connectionSchema>;

/** @throws ControlError for a header that no delivery can carry */
function checkHeader(header: string | undefined): void {
  if (header === undefined || (isSendable(header) && header.toLowerCase() !== HOPS_HEADER)) return;
  throw unusable([{ path: "header", message: `must be a header that a sender may choose, not ${header}` }]);
}

export const CONNECT_ROUTES = [
  route("connect", "POST /connect", {
    summary: "Point every webhook at an address; where there is none, each organization gets one",
    body: object({
      url: webhookUrl(),
      header: optional(
        headerName({
          description: "each delivery brings the first token of its organization in this header",
        }),
      ),
    }),
    success: { status: 200, schema: connectionSchema },
    handle: ({ run, sandbox, body: { url, header }, cause }) => {
      checkHeader(header);
      const keyOf = (token: string) => apiKeyIn(sandbox, token);
      const connected = run.transact(cause(), connect, { url, header, keyOf });
      const webhooks = connected.map(({ webhook, ...more }) => {
        const { id, hookId, organizationId, enabled } = webhook;
        return { id, hookId, organizationId, url, enabled, ...more };
      });
      return { body: { webhooks } };
    },
  }),
];
