import { useState } from "preact/hooks";
import { useAction } from "../lib/action";
import { useApp } from "../lib/context";
import { plural } from "../lib/format";
import type { Connection, PingReport } from "../model/types";
import { ErrorText } from "../parts/empty";

interface Props {
  readonly address: string;
  readonly onAddress: (address: string) => void;
}

/** Points every webhook at an address, and says whether a receiver is there. */
export function ConnectForm({ address, onAddress }: Props) {
  const { session } = useApp();
  const { transport } = session;
  const action = useAction();
  const [done, setDone] = useState("");
  const [ping, setPing] = useState<PingReport | null>(null);
  const connect = () =>
    action.run(async () => {
      setDone("");
      setPing(null);
      const url = address.trim();
      let webhooks: Connection["webhooks"] = [];
      const work = async () => {
        ({ webhooks } = await transport.call<Connection>("POST", "/connect", { body: { url } }));
      };
      const undo = async () => {
        for (const { id, previousUrl } of webhooks) {
          const path = `/data/webhooks/${encodeURIComponent(id)}`;
          if (previousUrl === null) await transport.call("DELETE", path);
          else await transport.call("PATCH", path, { body: { url: previousUrl } });
        }
      };
      await session.undos.perform({
        sandbox: session.sandbox,
        text: `Events now go to ${url}`,
        work,
        undo,
      });
      setDone(`${plural(webhooks.length, "webhook")} ${webhooks.length === 1 ? "leads" : "lead"} to ${url}`);
      const [first] = webhooks;
      if (first !== undefined)
        setPing(await transport.call("POST", `/webhooks/${encodeURIComponent(first.id)}/ping`));
    });
  return (
    <form
      class="stack tight"
      onSubmit={(event) => {
        event.preventDefault();
        void connect();
      }}
    >
      <div class="row">
        <label class="inline-field grow">
          <span>Webhook URL</span>
          <input
            class="grow"
            inputMode="url"
            autocomplete="off"
            spellcheck={false}
            value={address}
            onInput={(event) => onAddress(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary" disabled={action.busy}>
          Connect
        </button>
      </div>
      <div role="status">
        {done === "" ? null : <p class="why">{done}.</p>}
        {ping === null ? null : <p class={ping.ok ? "why" : "error"}>{ping.message}</p>}
      </div>
      <ErrorText text={action.error} />
    </form>
  );
}
