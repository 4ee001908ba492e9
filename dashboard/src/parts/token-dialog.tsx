import { useState } from "preact/hooks";
import { submitting } from "../lib/action";
import { Dialog } from "./dialog";
import { ErrorText } from "./empty";

interface Props {
  /** Whether a token was tried and not taken. */
  readonly refused: boolean;
  readonly onAnswer: (token: string) => void;
}

/** Asks for the control token. It stays in this tab of the browser until the tab is closed. */
export default function TokenDialog({ refused, onAnswer }: Props) {
  const [token, setToken] = useState("");
  return (
    <Dialog title="Control token">
      <form
        class="stack"
        onSubmit={submitting(() => {
          if (token.trim() !== "") onAnswer(token);
        })}
      >
        <p class="muted">
          This simulator requires a control token. It was set with <code>--control-token</code>, or printed at
          startup.
        </p>
        <label class="field">
          <span>Control token</span>
          <input
            type="password"
            autocomplete="off"
            autofocus
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        <ErrorText text={refused ? "Wrong token." : ""} />
        <div class="row end">
          <button type="submit" class="primary">
            Continue
          </button>
        </div>
      </form>
    </Dialog>
  );
}
