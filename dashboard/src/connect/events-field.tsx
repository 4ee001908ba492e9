import type { Webhook } from "../model/types";

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
      <label key={name} class="check">
        <input
          type="checkbox"
          checked={events.includes(name)}
          onChange={({ currentTarget: { checked } }) =>
            onChange(SUBSCRIPTIONS.filter((one) => (one === name ? checked : events.includes(one))))
          }
        />
        {name}
      </label>
    ))}
  </fieldset>
);
