import type { Webhook } from "../model/types";
import { Check } from "../parts/check";

export type Subscriptions = Webhook["subscribedEvents"];

/** What a webhook can be told of. A type checks that none is missing: the server's own list would bring its schemas along. */
const SUBSCRIPTIONS = Object.keys({ messages: true, transfers: true } satisfies Record<
  Subscriptions[number],
  true
>) as Subscriptions;

interface Props {
  /** Whose events they are. */
  readonly of: string;
  readonly events: Subscriptions;
  readonly onChange: (events: Subscriptions) => void;
}

/** Which events a webhook is told of. */
export const EventsField = ({ of, events, onChange }: Props) => (
  <fieldset class="row">
    <legend class="visually-hidden">Events of {of}</legend>
    {SUBSCRIPTIONS.map((name) => (
      <Check
        key={name}
        checked={events.includes(name)}
        onCheck={(checked) =>
          onChange(SUBSCRIPTIONS.filter((one) => (one === name ? checked : events.includes(one))))
        }
      >
        {name}
      </Check>
    ))}
  </fieldset>
);
