/** Where a load hears of calls and deliveries: in this process from the sandbox itself, else from its event stream. */
import { eventBatches } from "../client/stream.js";
import type { Transport } from "../client/transport.js";
import type { DeliveryRecord } from "../client/types.js";
import type { Feed, OpenFeed } from "../load/customer.js";
import type { DeliveryMatch, DeliverySubject, RequestMatch, RequestSubject } from "../sandbox/match.js";
import { deliveryDifferences, requestDifferences } from "../sandbox/match.js";
import type { Sandbox } from "../sandbox/sandbox.js";

const matches: Feed["matches"] = (log, match, entry) =>
  log === "requests"
    ? requestDifferences(match as RequestMatch, entry as RequestSubject).length === 0
    : deliveryDifferences(match as DeliveryMatch, entry as DeliverySubject).length === 0;

/** What happens in a sandbox of this process. */
export const observedFeed = (sandbox: Sandbox): Feed => ({
  matches,
  open: async (logs, hear) => {
    const close = sandbox.observe({
      // It is over, and its observers hear of it for the first time.
      request: (entry) => void (entry.open || entry.settled || hear("requests", entry)),
      ...(logs.has("deliveries") && {
        // Its body is that of its event type, which the type of a record tells and that of a delivery does not.
        delivery: (delivery) => hear("deliveries", delivery as DeliveryRecord),
      }),
    });
    return { breaks: 0, close: () => void close() };
  },
});

/** The event stream of a sandbox, opened again when it breaks off. */
export const streamedFeed = (transport: Transport): Feed => ({
  matches,
  open: async (logs, hear) => {
    const controller = new AbortController();
    const { signal } = controller;
    const names = logs.has("deliveries") ? (["request", "delivery"] as const) : (["request"] as const);
    const state = { breaks: 0 };
    await new Promise<void>((resolve, reject) => {
      const follow = async () => {
        for await (const events of eventBatches(transport, signal, names)) {
          for (const { event, data } of events) {
            if (event === "hello") resolve();
            if (event === "request" && data.durationMs !== null) hear("requests", data);
            if (event === "delivery") hear("deliveries", data);
          }
        }
      };
      const again = async () => {
        for (let isFirst = true; !signal.aborted; isFirst = false) {
          if (!isFirst) state.breaks += 1;
          await follow();
        }
      };
      again().catch(reject);
    });
    const open: OpenFeed = {
      get breaks() {
        return state.breaks;
      },
      close: () => controller.abort(),
    };
    return open;
  },
});
