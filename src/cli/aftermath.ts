/** What an action by hand led to: the deliveries that it caused, and why a messaging window did or did not move. */
import { messageOfDelivery } from "../client/log-entries.js";
import type { DeliveryRecord, Thread } from "../client/types.js";
import { counted } from "../kernel/words.js";
import type { Session } from "./action.js";

/** How long a command waits for deliveries before it reports them as pending. */
const OUTCOME = "3s";

export const messageOutcomes = ({ client }: Session, { id, threadId }: { id: string; threadId: string }) =>
  outcomes(client, "messages", (one) => one.threadId === threadId && messageOfDelivery(one) === id);

/** The outcome of each delivery that an action caused, one per line. */
export async function outcomes(
  client: Session["client"],
  events: string,
  isOurs: (delivery: DeliveryRecord) => boolean,
): Promise<string[]> {
  await client.idle({ within: OUTCOME }).catch(() => {});
  const ours = (await client.deliveries()).filter(isOurs);
  // After a restore, a new message can have the id of a discarded one: the latest call counts.
  const lines = ours.filter(({ causedBy }) => causedBy === ours.at(-1)?.causedBy).map(outcomeText);
  if (lines.length > 0) return lines;
  return [
    `no delivery: no enabled webhook of the organization is subscribed to ${events} (messaging-sim connect ADDRESS)`,
  ];
}

/** `d5 to crm at sink:demo: delivered (200)` */
function outcomeText({ id, hookId, url, status, reason, attempts }: DeliveryRecord): string {
  const last = attempts.at(-1);
  const answer = last === undefined ? "" : ` (${last.error ?? last.status})`;
  const stands = status === "pending" && last === undefined ? "on its way" : status;
  return `${id} to ${hookId} at ${url}: ${stands}${answer}${reason === null ? "" : `: ${reason}`}`;
}

/** What time alone can change in a sandbox, as text. */
export async function dueByTime({ client }: Session): Promise<string> {
  const threads = await client.data("threads").list();
  const windows = threads.map(({ id, isMessagingWindowOpen }) => [id, isMessagingWindowOpen]);
  const deliveries = (await client.deliveries()).map(({ id, status, attempts }) => [id, status, attempts]);
  return JSON.stringify([windows, deliveries]);
}

/** What makes a window move by itself. */
const BY_TIME = "with --set window.duration=24h or --behaviour realistic";

/** The channels with a messaging window, if windows move by hand alone; otherwise none. */
async function channelsMovedByHand({ client }: Session): Promise<readonly string[]> {
  const rows = await client.behaviour();
  const value = (key: string) => rows.find((row) => row.key === key)?.value;
  return value("window.duration") === null ? (value("window.channels") as readonly string[]) : [];
}

/** Why windows are still open although time has passed, as a line. */
export async function openWindows(session: Session): Promise<string[]> {
  const channels = await channelsMovedByHand(session);
  if (channels.length === 0) return [];
  const staysOpen = ({ channel, isMessagingWindowOpen, windowClosesAt }: Thread) =>
    channels.includes(channel) && isMessagingWindowOpen && windowClosesAt == null;
  const open = (await session.client.data("threads").list()).filter(staysOpen);
  if (open.length === 0) return [];
  return [`${counted(open.length, "messaging window")} stayed open: windows close by time ${BY_TIME}.`];
}

/** Why the window of a thread is closed although its customer has just written, as a line. */
export async function closedWindow(session: Session, threadId: string): Promise<string[]> {
  const { channel, isMessagingWindowOpen } = await session.client.data("threads").get(threadId);
  if (isMessagingWindowOpen || !(await channelsMovedByHand(session)).includes(channel)) return [];
  return [
    `The messaging window stays closed: open it with messaging-sim window ${threadId} open; a customer's message opens it ${BY_TIME}.`,
  ];
}
