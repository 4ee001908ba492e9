import { useId, useState } from "preact/hooks";
import { isOutside } from "../../../src/client/log-entries.js";
import { MASK } from "../../../src/kernel/masking.js";
import { urlFrom } from "../../../src/kernel/names.js";
import { submitting, useAction } from "../lib/action";
import { useApp, useOpenItem } from "../lib/context";
import { fieldMessage } from "../lib/control";
import { plural } from "../lib/format";
import { botOf } from "../model/bot";
import { deliveryOutcome, type Outcome, requestOutcome } from "../model/outcome";
import type { Connection, PingReport } from "../model/types";
import { Bounded } from "../parts/bounded";
import { Button } from "../parts/button";
import { Code } from "../parts/code";
import { CopyButton } from "../parts/copy-button";
import { ErrorText } from "../parts/empty";
import { Icon } from "../parts/icon";
import { Select } from "../parts/options";
import { closeConnection } from "./invitation";
import { SNIPPETS } from "./snippets";
import { WebhookList } from "./webhook-list";

const LOCAL = "http://127.0.0.1:3000/hook";

/** Address, tokens and webhooks, a bot to begin with, and what has worked so far. */
export default function ConnectView() {
  const { session } = useApp();
  const [address, setAddress] = useState(() => {
    const url = botOf(session)?.url;
    return url === undefined || url.includes(MASK) ? LOCAL : url;
  });
  return (
    <section class="connect" aria-labelledby="connect">
      <div class="row spread">
        <h2 id="connect">Connect your bot</h2>
        <Button icon="cross" class="ghost icon-only" label="Close" onClick={() => closeConnection(session)} />
      </div>
      <FirstThings />
      <section class="stack" aria-label="Where your bot calls">
        <h3>1. Base URL and API token</h3>
        <p class="row">
          <span class="muted">Base URL</span> <code>{location.origin}</code>
          <CopyButton small text={location.origin} label="Copy base URL" />
        </p>
        <Tokens />
      </section>
      <section class="stack" aria-label="Where events go">
        <h3>2. Webhooks</h3>
        <ConnectForm address={address} onAddress={setAddress} />
        <WebhookList />
      </section>
      <section class="stack" aria-label="Example bot">
        <h3>3. Example bot</h3>
        <SnippetView address={address} />
      </section>
    </section>
  );
}

/** The API keys of the sandbox, and whose they are. */
function Tokens() {
  const { session } = useApp();
  const { tokens, users, organizations } = session.tables;
  return (
    <ul class="tokens" aria-label="Tokens">
      <Bounded items={[...tokens.records.values()]} step={5}>
        {({ id, userId, permissions }) => {
          const key = session.keyOf(id);
          const user = users.get(userId);
          return (
            <li key={id} class="row">
              <code>{key}</code>
              <CopyButton small text={key} label={`Copy token ${key}`} />
              <span class="muted small-text">
                <bdi>{user?.displayName ?? userId}</bdi>
                {user === undefined ? null : `, ${organizations.get(user.organizationId)?.name}`}
                {permissions.length === 0 ? "" : `, may ${permissions.join(", ")}`}
              </span>
            </li>
          );
        }}
      </Bounded>
    </ul>
  );
}

const KEY = "messaging-sim.language";

/** A small bot in a language of choice, filled in for this sandbox. */
function SnippetView({ address }: { address: string }) {
  const { session, route } = useApp();
  const { tables } = session;
  const [name, setName] = useState(() => localStorage.getItem(KEY) ?? "Node");
  const snippet = SNIPPETS.find((one) => one.name === name) ?? SNIPPETS[0];
  if (snippet === undefined) return null;
  const thread = tables.threadOrFirst(route.thread);
  const values = {
    base: location.origin,
    token: session.apiKey(thread),
    threadId: thread?.id ?? "9001",
    hook: new URL(urlFrom(address.trim()) ?? "http://127.0.0.1:3000/"),
  };
  return (
    <>
      <Select
        class="inline-field"
        label="Language"
        value={snippet.name}
        onChoose={(chosen) => {
          localStorage.setItem(KEY, chosen);
          setName(chosen);
        }}
      >
        {SNIPPETS.map((one) => (
          <option key={one.name}>{one.name}</option>
        ))}
      </Select>
      <Code key={snippet.name} label={snippet.file} value={snippet.text(values)} />
      <p class="row">
        <span class="muted">Run it</span> <code>{snippet.run}</code>
        <CopyButton small text={snippet.run} label="Copy command" />
      </p>
    </>
  );
}

/** The URL that was meant: a port alone is one of this computer. */
const urlOf = (text: string): string =>
  /^\d{1,5}$/.test(text) ? `http://127.0.0.1:${text}/` : (urlFrom(text) ?? text);

/** Points every webhook at an address, and says whether a receiver is there. */
function ConnectForm({ address, onAddress }: { address: string; onAddress: (address: string) => void }) {
  const { session } = useApp();
  const { transport } = session;
  const action = useAction(fieldMessage);
  const note = useId();
  const [done, setDone] = useState("");
  const [ping, setPing] = useState<PingReport | null>(null);
  const connect = () =>
    action.run(async () => {
      setDone("");
      setPing(null);
      const body = { url: urlOf(address.trim()) };
      const { webhooks } = await transport.call<Connection>("POST", "/connect", { body });
      setDone(
        `${plural(webhooks.length, "webhook")} ${webhooks.length === 1 ? "leads" : "lead"} to ${body.url}`,
      );
      const [first] = webhooks;
      if (first !== undefined)
        setPing(await transport.call("POST", `/webhooks/${encodeURIComponent(first.id)}/ping`));
    });
  return (
    <form class="stack tight" onSubmit={submitting(connect)}>
      <div class="row">
        <label class="inline-field grow">
          <span>Webhook URL</span>
          <input
            class="grow"
            inputMode="url"
            autocomplete="off"
            spellcheck={false}
            value={address}
            aria-invalid={action.error !== ""}
            aria-describedby={note}
            onInput={(event) => onAddress(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary" disabled={action.busy}>
          Connect
        </button>
      </div>
      <div id={note}>
        <ErrorText text={action.error && `Not connected. ${action.error}`} />
      </div>
      <div role="status">
        {done === "" ? null : <p class="why">{done}.</p>}
        {ping === null ? null : <p class={ping.ok ? "why" : "error"}>{ping.message}</p>}
      </div>
    </form>
  );
}

interface Last {
  readonly id: string;
  readonly outcome: Outcome;
}

/** What has worked already; where something has not, how the last try ended. */
function FirstThings() {
  const { session } = useApp();
  const { call, delivery, reply } = session.firsts;
  const delivered = session.deliveries.entries.findLast(isOutside);
  const called = session.requests.entries.findLast(({ by }) => by === "client");
  return (
    <ol class="firsts" aria-label="Progress">
      <First done={call.value} name="First call" how="Your bot calls the base URL." />
      <First
        done={delivery.value}
        name="First event delivered"
        how="Connect your bot, then write as a customer."
        last={delivered && { id: delivered.id, outcome: deliveryOutcome(delivered) }}
      />
      <First
        done={reply.value}
        name="First reply"
        how="Your bot replies through the API."
        last={called && { id: called.id, outcome: requestOutcome(called) }}
      />
    </ol>
  );
}

interface FirstProps {
  readonly done: boolean;
  readonly name: string;
  readonly how: string;
  readonly last?: Last | undefined;
}

function First({ done, name, how, last }: FirstProps) {
  const openItem = useOpenItem();
  const tried = last !== undefined && last.outcome.tone === "bad" ? last : undefined;
  return (
    <li class={done ? "first done" : "first"} aria-label={`${name}: ${done ? "done" : "not yet"}`}>
      <span class="tick">{done ? <Icon name="check" /> : null}</span>
      <span>
        <strong>{name}</strong>
        {done ? null : tried === undefined ? (
          <span class="block muted small-text">{how}</span>
        ) : (
          <Button class="link small-text block error" onClick={() => openItem(tried.id)}>
            {tried.id}: {tried.outcome.description}
          </Button>
        )}
      </span>
    </li>
  );
}
