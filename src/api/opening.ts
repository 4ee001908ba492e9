import type { IncomingMessage, RequestListener } from "node:http";
import { FAILURE, sendJson } from "../kernel/http/send.js";
import type { SandboxRegistry } from "../sandbox/registry.js";
import { idInToken } from "../sandbox/registry.js";
import type { ApiAnswer } from "./answers.js";
import { refusalAnswer } from "./answers.js";
import type { ApiApp } from "./app.js";
import { addressOf } from "./app.js";

/**
 * The simulated API where several processes share sandboxes: that of a call is opened here first (contract section 11).
 * `opened` is undefined where a sandbox is open here; else it resolves when it is, or there is none.
 */
export function openedFirst(
  api: ApiApp,
  registry: SandboxRegistry,
  opened: (id: string) => Promise<void> | undefined,
): RequestListener {
  const answerTo = ({ method = "", url = "" }: IncomingMessage, error: unknown): ApiAnswer => {
    const { values } = registry.default.run.behaviour;
    const refusal = api.unavailable(error, (scope) =>
      api.formed(refusalAnswer("limits.overloadError", scope, values), method, url),
    );
    return refusal ?? { status: 500, body: FAILURE };
  };
  return (request, response) => {
    const token = addressOf(request);
    const opening = opened(idInToken(token));
    if (opening === undefined) return api.handle(request, response);
    const refuse = ({ status, body, headers }: ApiAnswer) => sendJson(response, status, body, headers);
    opening
      .then(() => {
        const owner = registry.ownerOf(token);
        // The fallback answers whoever it does not know, as the sandbox would, and nobody else.
        if (owner.token !== null && registry.isFallback(owner.run)) refuse(api.elsewhere);
        // Nobody tells of the end of a call whose client has gone meanwhile.
        else if (!response.destroyed) api.handle(request, response);
      })
      .catch((error: unknown) => refuse(answerTo(request, error)));
  };
}
