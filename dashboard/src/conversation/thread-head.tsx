import { useState } from "preact/hooks";
import { useAction } from "../lib/action";
import { useApp } from "../lib/context";
import { firstOwnMessage } from "../model/recording";
import { THREAD_STATUSES } from "../model/thread-statuses";
import type { Thread } from "../model/types";
import { Avatar } from "../parts/avatar";
import { ConfirmedSelect } from "../parts/confirmed-select";
import { CopyButton } from "../parts/copy-button";
import { ProfileDialog, ScenarioDialog, TimingDialog } from "../parts/dialogs";
import { ErrorText } from "../parts/empty";
import { Icon } from "../parts/icon";
import { Menu } from "../parts/menu";
import { CloseBeside, KeepBeside } from "./beside";
import { NotifyButton } from "./due";
import { ShareDialog } from "./share-dialog";
import { TransferPicker } from "./transfer-picker";
import { WindowSwitch } from "./window-switch";

/** The customer and business of a thread, and the controls that change the thread as a whole. */
export function ThreadHead({ thread, isBeside }: { thread: Thread; isBeside: boolean }) {
  const { session } = useApp();
  const action = useAction();
  const [saves, setSaves] = useState(false);
  const [showsProfile, setShowsProfile] = useState(false);
  const [shares, setShares] = useState(false);
  const [showsTimes, setShowsTimes] = useState(false);
  const { tables, transport } = session;
  const name = tables.customerName(thread);
  const business = tables.businesses.get(thread.businessId);
  const setStatus = (status: string) =>
    action.run(() => transport.call("PATCH", `/data/threads/${thread.id}`, { body: { status } }));
  return (
    <header class="thread-head">
      <div class="who">
        <Avatar name={name} large />
        <div class="who-text">
          <h2 dir="auto" title={name}>
            {name}
          </h2>
          <p class="small-text muted">
            thread {thread.id} · <span class="channel">{thread.channel}</span> ·{" "}
            <bdi>{business?.name ?? thread.businessId}</bdi>
          </p>
        </div>
        <div class="who-tools">
          {firstOwnMessage(session, thread.id) === undefined ? null : (
            <button type="button" class="ghost small" onClick={() => setSaves(true)}>
              Save as test
            </button>
          )}
          {saves ? <ScenarioDialog thread={thread} from={null} onClose={() => setSaves(false)} /> : null}
          {showsProfile ? (
            <ProfileDialog customerId={thread.customerId} onClose={() => setShowsProfile(false)} />
          ) : null}
          {showsTimes ? <TimingDialog thread={thread} onClose={() => setShowsTimes(false)} /> : null}
          {shares ? <ShareDialog thread={thread} from={null} onClose={() => setShares(false)} /> : null}
          <Menu label="More">
            <button type="button" onClick={() => setShares(true)}>
              <Icon name="chat" />
              Share…
            </button>
            <button type="button" onClick={() => setShowsTimes(true)}>
              <Icon name="clock" />
              Where time went
            </button>
            <button type="button" onClick={() => setShowsProfile(true)}>
              <Icon name="page" />
              Profile
            </button>
            <CopyButton text={thread.id} label="Copy thread id" />
            <CopyButton
              icon="page"
              label="Copy transcript"
              text={() =>
                transport.call("GET", `/threads/${thread.id}/transcript`, { query: { format: "md" } })
              }
            />
            <NotifyButton />
            {isBeside ? null : <KeepBeside thread={thread} />}
          </Menu>
          {isBeside ? <CloseBeside thread={thread} /> : null}
        </div>
      </div>
      <div class="controls">
        <div class="row">
          <ConfirmedSelect label="Status" value={thread.status} confirm="Set status" onConfirm={setStatus}>
            {THREAD_STATUSES.map((status) => (
              <option key={status} value={status}>
                {status}
              </option>
            ))}
          </ConfirmedSelect>
        </div>
        <TransferPicker thread={thread} />
        <WindowSwitch thread={thread} />
      </div>
      <ErrorText text={action.error} />
    </header>
  );
}
