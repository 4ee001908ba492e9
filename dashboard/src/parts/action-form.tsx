import type { ComponentChildren } from "preact";
import { submitting, useAction } from "../lib/action";
import { Button } from "./button";
import { ErrorText } from "./empty";

interface Props {
  /** What the button says that does it. */
  readonly submit: string;
  /** Does it; what it throws is shown above the buttons. */
  readonly onSubmit: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A form with a button that does something and one that does nothing. It is busy meanwhile, and shows why it failed. */
export function ActionForm({ submit, onSubmit, onClose, children }: Props) {
  const action = useAction();
  return (
    <form class="stack" onSubmit={submitting(() => action.run(onSubmit))}>
      {children}
      <ErrorText text={action.error} />
      <div class="row end">
        <Button onClick={onClose}>Cancel</Button>
        <button type="submit" class="primary" disabled={action.busy}>
          {submit}
        </button>
      </div>
    </form>
  );
}
