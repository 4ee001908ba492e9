import type { IncomingMessage, RequestListener } from "node:http";
import { FAILURE, sendJson } from "../kernel/http/send.js";
import { NotKept } from "../sandbox/durable.js";
import { Elsewhere } from "../sandbox/elsewhere.js";
import type { SandboxRegistry } from "../sandbox/registry.js";
import { idInToken } from "../sandbox/registry.js";
import type { ApiAnswer } from "./answers.js";
import { refusalAnswer } from "./answers.js";
import type { ApiApp } from "./app.js";
import { addressOf } from "./app.js";

interface Opening {
  readonly registry: SandboxRegistry;
  /** Undefined where a sandbox is open here; else resolves when it is, or there is none. */
  readonly opened: (id: string) => Promise<void> | undefined;
  /** The answer to calls whose sandbox another process has. */
  readonly elsewhere: ApiAnswer;
}

/** The simulated API where several processes share sandboxes: that of a call is opened here first (contract section 11). */
export function openedFirst(api: ApiApp, { registry, opened, elsewhere }: Opening): RequestListener {
  const answerTo = ({ method = "", url = "" }: IncomingMessage, error: unknown): ApiAnswer => {
    if (error instanceof Elsewhere) return elsewhere;
    if (!(error instanceof NotKept)) return { status: 500, body: FAILURE };
    const { values } = registry.default.run.behaviour;
    return api.formed(refusalAnswer("limits.overloadError", error.scope, values), method, url);
  };
  return (request, response) => {
    const token = addressOf(request);
    const opening = opened(idInToken(token));
    if (opening === undefined) return api.handle(request, response);
    opening
      .then(() => {
        const owner = registry.ownerOf(token);
        // The fallback answers whoever it does not know, as the sandbox would, and nobody else.
        if (owner.token !== null && registry.isFallback(owner.run)) throw new Elsewhere(owner.run.sandboxId);
        // Nobody tells of the end of a call whose client has gone meanwhile.
        if (!response.destroyed) api.handle(request, response);
      })
      .catch((error: unknown) => {
        const { status, body, headers } = answerTo(request, error);
        sendJson(response, status, body, headers);
      });
  };
}
