import type { IncomingMessage } from "node:http";

/** Who may use the control API. Throws a `ControlError` for a call that may not. */
export interface Access {
  check(request: IncomingMessage): void;
}
