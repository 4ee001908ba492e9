import { useState } from "preact/hooks";
import { useNotifiedAction } from "../lib/action";
import { useApp } from "../lib/context";
import { dayOf, isoTime, timeOfDay } from "../lib/format";
import { useTick } from "../lib/tick";
import { advanceBy } from "../model/clock-moves";
import { Icon } from "./icon";

/** How far an empty field advances: past the messaging window. */
const DEFAULT_STEP = "25h";

/** The sandbox's time, with the controls that freeze and advance it. */
export function Clock() {
  const { session } = useApp();
  const { clock, transport } = session;
  const [by, setBy] = useState("");
  const action = useNotifiedAction();
  useTick(!clock.frozen);
  if (!session.loaded.value) return <div class="clock" />;
  const now = clock.now();

  const advance = (event: Event) => {
    event.preventDefault();
    const text = by.trim() || DEFAULT_STEP;
    return action.run(() => advanceBy(session, /^\d+$/.test(text) ? Number(text) : text));
  };
  const toggle = () =>
    action.run(async () => {
      const before = { now: clock.now(), frozen: clock.frozen };
      const put = async (body: object) => clock.set(await transport.call("PUT", "/clock", { body }));
      await session.undos.perform({
        sandbox: session.sandbox,
        text: before.frozen ? "The clock is running" : "The clock is frozen",
        work: () => put({ frozen: !before.frozen }),
        undo: () => put(before.frozen ? before : { frozen: false }),
      });
    });

  return (
    <div class="clock">
      <time
        class="clock-time"
        role="timer"
        dateTime={isoTime(now)}
        aria-label="Sandbox clock"
        title="Sandbox time, UTC"
      >
        <span class="muted">{dayOf(now)}</span> {timeOfDay(now)} <span class="muted if-wide">UTC</span>
      </time>
      <button
        type="button"
        class="ghost small"
        onClick={toggle}
        title={clock.frozen ? "Let the clock run" : "Freeze the clock"}
      >
        <Icon name={clock.frozen ? "play" : "lock"} />
        {clock.frozen ? "Let run" : "Freeze"}
      </button>
      <form class="joined" onSubmit={advance}>
        <input
          aria-label="Advance by"
          placeholder={DEFAULT_STEP}
          size={6}
          autocomplete="off"
          value={by}
          onInput={(event) => setBy(event.currentTarget.value)}
        />
        <button type="submit" disabled={action.busy}>
          {action.busy ? "Advancing…" : "Advance"}
        </button>
      </form>
    </div>
  );
}
