import { useApp, useOpenItem } from "../lib/context";
import { isOutside } from "../model/firsts";
import type { Outcome } from "../model/outcome";
import { deliveryOutcome, requestOutcome } from "../model/outcome";
import { Icon } from "../parts/icon";

interface Last {
  readonly id: string;
  readonly outcome: Outcome;
}

/** What has worked already; where something has not, how the last try ended. */
export function FirstThings() {
  const { session } = useApp();
  const { call, delivery, reply } = session.firsts;
  const delivered = session.deliveries.entries.findLast(isOutside);
  const called = session.requests.entries.findLast(({ by }) => by === "client");
  return (
    <ol class="firsts" aria-label="Progress">
      <First done={call.value} name="First call" how="Your bot calls the base URL." />
      <First
        done={delivery.value}
        name="First event delivered"
        how="Connect your bot, then write as a customer."
        last={delivered && { id: delivered.id, outcome: deliveryOutcome(delivered) }}
      />
      <First
        done={reply.value}
        name="First reply"
        how="Your bot replies through the API."
        last={called && { id: called.id, outcome: requestOutcome(called) }}
      />
    </ol>
  );
}

interface FirstProps {
  readonly done: boolean;
  readonly name: string;
  readonly how: string;
  readonly last?: Last | undefined;
}

function First({ done, name, how, last }: FirstProps) {
  const { session } = useApp();
  const openItem = useOpenItem();
  const tried = last !== undefined && last.outcome.tone === "bad" ? last : undefined;
  return (
    <li class={done ? "first done" : "first"} aria-label={`${name}: ${done ? "done" : "not yet"}`}>
      <span class="tick">{done ? <Icon name="check" /> : null}</span>
      <span>
        <strong>{name}</strong>
        {done ? null : tried === undefined ? (
          <span class="block muted small-text">{how}</span>
        ) : (
          <button
            type="button"
            class="link small-text block error"
            onClick={() => {
              session.connecting.value = false;
              openItem(tried.id);
            }}
          >
            {tried.id}: {tried.outcome.description}
          </button>
        )}
      </span>
    </li>
  );
}
