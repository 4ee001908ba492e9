import { useState } from "preact/hooks";
import { submitting, useAction } from "../lib/action";
import { useApp } from "../lib/context";
import { isoTime, longMs } from "../lib/format";
import { useTick } from "../lib/tick";
import { advanceBy, fallingDue, setClock } from "../model/clock-moves";
import type { ClockReading } from "../model/types";
import { Bounded } from "../parts/bounded";
import { Button } from "../parts/button";
import { ErrorText } from "../parts/empty";

const PRESETS = [
  ["1m", "+1 min"],
  ["1h", "+1 h"],
  ["24h", "+24 h"],
  ["25h", "+25 h"],
] as const;

/** Stops the clock, and moves it: by usual durations, to what falls due next, or to a date. */
export default function ClockPanel() {
  const { session } = useApp();
  const { clock } = session;
  useTick(!clock.frozen);
  const now = clock.now();
  const action = useAction();
  const [date, setDate] = useState(() => isoTime(now).slice(0, 19));
  const due = fallingDue(session);
  const toggle = () =>
    action.run(async () => {
      const body = { frozen: !clock.frozen };
      clock.set(await session.transport.call<ClockReading>("PUT", "/clock", { body }));
    });
  return (
    <div class="stack clock-panel">
      <fieldset class="row">
        <Button disabled={action.busy} onClick={toggle}>
          {clock.frozen ? "Resume" : "Freeze"}
        </Button>
        <legend class="visually-hidden">Advance</legend>
        {PRESETS.map(([by, label]) => (
          <Button key={by} disabled={action.busy} onClick={() => action.run(() => advanceBy(session, by))}>
            {label}
          </Button>
        ))}
      </fieldset>
      <h2>Next due</h2>
      {due.length === 0 ? (
        <p class="muted">Nothing is due: no open window closes, no delivery is retried.</p>
      ) : (
        <ol class="records" aria-label="Due events">
          <Bounded items={due} step={5}>
            {({ key, at, what }) => (
              <li key={key} class="row spread">
                <span class="grow" dir="auto">
                  {what}
                  <span class="block muted small-text">
                    {isoTime(at)}, {at > now ? `in ${longMs(at - now)}` : "now"}
                  </span>
                </span>
                <Button
                  class="small"
                  aria-label={`Advance to: ${what}`}
                  disabled={action.busy}
                  onClick={() =>
                    action.run(() =>
                      advanceBy(session, Math.max(0, Math.ceil(at - clock.now())), `to: ${what}`),
                    )
                  }
                >
                  Advance
                </Button>
              </li>
            )}
          </Bounded>
        </ol>
      )}
      <form class="row bottom" onSubmit={submitting(() => action.run(() => setClock(session, `${date}Z`)))}>
        <label class="field grow">
          <span>Date and time, UTC</span>
          <input
            class="grow"
            type="datetime-local"
            step={1}
            value={date}
            onInput={({ currentTarget }) => setDate(currentTarget.value)}
          />
        </label>
        <button type="submit" disabled={action.busy || date === ""}>
          Set clock
        </button>
      </form>
      <ErrorText text={action.error} />
    </div>
  );
}
