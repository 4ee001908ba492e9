import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useApp } from "../lib/context";
import { errorMessage } from "../lib/control";
import { Button } from "../parts/button";
import { Icon } from "../parts/icon";
import { STEP_MS, STEPS, type Stage, setStage } from "./present-script";
import "../styles/present.css";

/** Plays the script in a sandbox of its own, says what happens, and at the end puts the page back where it was. */
export default function PresentBar({ onEnd }: { onEnd: () => void }) {
  const { session, route, navigate, notify } = useApp();
  const { server, undos } = session;
  const [before] = useState(route);
  const [opener] = useState(() => {
    const menu = document.activeElement?.closest("[popover]");
    return menu ? document.querySelector(`[popovertarget="${menu.id}"]`) : document.activeElement;
  });
  const [stage, setStageMade] = useState<Stage | null>(null);
  /** How many steps were begun. */
  const [count, setCount] = useState(0);
  const [busy, setBusy] = useState(true);
  // Nothing moves by itself for those who asked for less motion.
  const [isPlaying, setPlaying] = useState(() => !matchMedia("(prefers-reduced-motion: reduce)").matches);
  const isOver = useRef(false);
  const nextButton = useRef<HTMLButtonElement>(null);

  const end = () => {
    if (isOver.current) return;
    isOver.current = true;
    onEnd();
    navigate(before, { replace: true });
  };
  const fail = (error: unknown) => {
    notify(`Presentation ended: ${errorMessage(error)}`, "bad");
    end();
  };
  const next = async () => {
    const step = STEPS[count];
    if (stage === null || busy || step === undefined) return;
    setBusy(true);
    setCount(count + 1);
    try {
      await step.act(stage);
    } catch (error) {
      if (!isOver.current) fail(error);
    }
    setBusy(false);
  };

  useEffect(() => {
    let made: Stage | undefined;
    const drop = () => made && server.call("DELETE", `/sandboxes/${made.sandbox}`).catch(() => {});
    setStage(session).then(
      (one) => {
        made = one;
        if (isOver.current) return drop();
        setStageMade(one);
        setBusy(false);
        navigate({ sandbox: one.sandbox, thread: one.thread, item: null, filters: {} }, { replace: true });
      },
      (error: unknown) => {
        if (!isOver.current) fail(error);
      },
    );
    nextButton.current?.focus();
    return () => {
      isOver.current = true;
      drop();
      // Once it can be seen again.
      setTimeout(() => opener instanceof HTMLElement && opener.focus());
    };
  }, []);
  // Whoever goes to another sandbox has left the presentation.
  const hasLeft = stage !== null && route.sandbox !== stage.sandbox;
  useEffect(() => {
    if (!hasLeft) return;
    isOver.current = true;
    onEnd();
  }, [hasLeft]);
  useEffect(() => {
    const onKey = ({ key, defaultPrevented }: KeyboardEvent) => {
      if (key === "Escape" && !defaultPrevented && undos.dialogs.peek() === 0) end();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
  const isDone = count === STEPS.length;
  // A pause is one at once.
  useLayoutEffect(() => {
    if (!isPlaying || busy || isDone) return;
    const timer = setTimeout(next, count === 0 ? 0 : STEP_MS);
    return () => clearTimeout(timer);
  }, [isPlaying, busy, count, stage]);

  return (
    <section class="present" aria-label="Presentation">
      <p class="present-caption" role="status">
        {STEPS[count - 1]?.caption ?? "A minute with messaging-sim, in a separate sandbox."}
      </p>
      <span class="muted">
        {count} of {STEPS.length}
      </span>
      {isDone ? null : (
        <>
          <Button aria-pressed={!isPlaying} onClick={() => setPlaying(!isPlaying)}>
            Pause
          </Button>
          <button ref={nextButton} type="button" class="primary" aria-disabled={busy} onClick={next}>
            <Icon name="play" />
            Next
          </button>
        </>
      )}
      <Button class={isDone ? "primary" : undefined} onClick={end}>
        End
      </Button>
    </section>
  );
}
