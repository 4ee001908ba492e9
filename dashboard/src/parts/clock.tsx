import { useEffect, useState } from "preact/hooks";
import { useAction } from "../lib/action";
import { useApp, useSession } from "../lib/context";
import { dayOf, isoTime, timeOfDay } from "../lib/format";
import { useTick } from "../lib/tick";
import { Icon } from "./icon";

/** The sandbox's time, and the hand on it. */
export function Clock() {
  const session = useSession("clock", "connection");
  const { say } = useApp();
  const [by, setBy] = useState("");
  const action = useAction();
  useTick(!session.frozen);
  useEffect(() => {
    if (action.trouble !== "") say(action.trouble, "bad");
  }, [action.trouble, say]);
  if (!session.loaded) return <div class="clock" />;
  const now = session.now();

  const advance = (event: Event) => {
    event.preventDefault();
    const text = by.trim();
    if (text === "") return say("Say how far: 90s, 25h, 2d or milliseconds", "bad");
    return action.run(async () => {
      const ms = /^\d+$/.test(text) ? Number(text) : text;
      session.setClock(await session.api.post("/clock/advance", { by: ms }));
      say(`The clock moved on by ${text}`);
    });
  };
  const tx = () =>
    action.run(async () => {
      session.setClock(await session.api.call("PUT", "/clock", { frozen: !session.frozen }));
    });

  return (
    <form class="clock" onSubmit={advance}>
      <time
        class="clock-time"
        role="timer"
        dateTime={isoTime(now)}
        aria-label="Clock of the sandbox"
        title="Time of the sandbox, UTC"
      >
        <span class="muted">{dayOf(now)}</span> {timeOfDay(now)} <span class="muted">UTC</span>
      </time>
      <button
        type="button"
        class="ghost small"
        onClick={tx}
        title={session.frozen ? "Let the clock run" : "Freeze the clock"}
      >
        <Icon name={session.frozen ? "play" : "lock"} />
        {session.frozen ? "Let run" : "Freeze"}
      </button>
      <div class="joined">
        <input
          aria-label="Advance by"
          placeholder="25h"
          size={6}
          autocomplete="off"
          value={by}
          onInput={(event) => setBy(event.currentTarget.value)}
        />
        <button type="submit" disabled={action.busy}>
          {action.busy ? "Advancing…" : "Advance"}
        </button>
      </div>
    </form>
  );
}
