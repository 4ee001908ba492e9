import { useApp, useOpenItem } from "../lib/context";
import { showPart } from "../lib/phone";
import { botOf } from "../model/bot";
import { deliveryOutcome } from "../model/outcome";
import { Button } from "./button";

/** Where events go: the program that gets them, with its last answer, or an invitation to connect one. */
export function ConnectButton() {
  const { session } = useApp();
  const { connecting } = session;
  const openItem = useOpenItem();
  const bot = botOf(session);
  const last =
    bot === undefined ? undefined : session.deliveries.entries.findLast(({ url }) => url === bot.url);
  const answer = last?.attempts.at(-1);
  return (
    <>
      <Button
        icon="hook"
        class={bot === undefined ? "bot primary" : "bot"}
        disabled={!session.loaded.value}
        aria-expanded={connecting.value}
        title={bot === undefined ? "Events go to built-in receivers: no program gets them" : bot.url}
        onClick={() => {
          connecting.value = !connecting.value;
          showPart("conversation");
        }}
      >
        <span class="ellipsis">{bot === undefined ? "Connect your bot" : `Bot at ${bot.host}`}</span>
      </Button>
      {last === undefined || answer === undefined ? null : (
        <Button
          class={`chip ${deliveryOutcome(last).tone}`}
          label={`Last answer: ${answer.status ?? "none"}`}
          onClick={() => openItem(last.id)}
        >
          {answer.status ?? "no answer"}
        </Button>
      )}
    </>
  );
}
