import { useAction } from "../lib/action";
import { useApp } from "../lib/context";
import { isoTime, timeOfDay } from "../lib/format";
import type { Undoable } from "../model/undo";
import { Button } from "../parts/button";
import { Dialog, DialogFoot } from "../parts/dialog";
import { ErrorText } from "../parts/empty";

/** What was done here, the newest first: goes back to any point, and from there to any later one. */
export default function HistoryDialog({ onClose }: { onClose: () => void }) {
  const { session, route, navigate } = useApp();
  const { undos } = session;
  const action = useAction();
  const { done, undone, left } = undos.history;
  const line = [...done, ...undone];
  const go = (work: () => Promise<void>) =>
    action.run(async () => {
      await work();
      const { sandbox } = undos.newest ?? { sandbox: route.sandbox };
      if (sandbox !== route.sandbox) navigate({ sandbox, thread: null, item: null });
    });
  return (
    <Dialog title="History" onClose={onClose}>
      <p class="muted">
        Go back to any point and return to any later one. Messages written in between come back with the point
        they belong to.
      </p>
      <ol class="history" aria-label="Points">
        {line.toReversed().map((one, index) => {
          const count = line.length - index;
          return (
            <Point
              key={count}
              one={one}
              isCurrent={count === done.length}
              isUndone={count > done.length}
              disabled={action.busy}
              onGo={() => go(() => undos.goTo(count))}
            />
          );
        })}
        <Point
          one={{ text: "Start of this list" }}
          isCurrent={done.length === 0}
          disabled={action.busy}
          onGo={() => go(() => undos.goTo(0))}
        />
      </ol>
      {left.length === 0 ? null : (
        <>
          <h3>Replaced by later changes</h3>
          <ol class="history" aria-label="Replaced">
            {left.toReversed().map((one) => (
              <Point
                key={`${one.at} ${one.text}`}
                one={one}
                isUndone
                disabled={action.busy}
                onGo={() => go(() => undos.restore(one))}
              />
            ))}
          </ol>
        </>
      )}
      <ErrorText text={action.error} />
      <DialogFoot onClose={onClose} />
    </Dialog>
  );
}

interface PointProps {
  readonly one: Pick<Undoable, "text" | "at">;
  readonly isCurrent?: boolean;
  readonly isUndone?: boolean;
  readonly disabled: boolean;
  readonly onGo: () => void;
}

/** The state after something was done. */
const Point = ({ one: { text, at }, isCurrent = false, isUndone = false, disabled, onGo }: PointProps) => (
  <li class={isUndone ? "point undone" : "point"} aria-current={isCurrent ? "step" : undefined}>
    {at === undefined ? null : (
      <time class="muted small-text" dateTime={isoTime(at)}>
        {timeOfDay(at)}
      </time>
    )}
    <span class="grow">{text}</span>
    {isCurrent ? (
      <b>Current</b>
    ) : (
      <Button class="small" aria-label={`Go to ${text}`} disabled={disabled} onClick={onGo}>
        Go to
      </Button>
    )}
  </li>
);
