import { useState } from "preact/hooks";
import { useApp } from "../lib/context";
import { Bounded } from "../parts/bounded";
import { Code } from "../parts/code";
import { CopyButton } from "../parts/copy-button";
import { ConnectForm } from "./connect-form";
import { FirstThings } from "./first-things";
import { SNIPPETS } from "./snippets";
import { WebhookList } from "./webhook-list";

/** Address, tokens and webhooks, a bot to begin with, and what has worked so far. */
export default function ConnectPanel() {
  const { tables } = useApp().session;
  const [address, setAddress] = useState(
    () =>
      [...tables.webhooks.records.values()].find(({ url }) => /^https?:/.test(url))?.url ??
      "http://127.0.0.1:3000/hook",
  );
  return (
    <div class="connect">
      <FirstThings />
      <section class="stack" aria-label="Where your bot calls">
        <h3>1. Base URL and API token</h3>
        <p class="row">
          <span class="muted">Base URL</span> <code class="break">{location.origin}</code>
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
    </div>
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
              <code class="break">{key}</code>
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

/** The address as a URL; the usual one of a bot where it is none. */
function hookOf(address: string): URL {
  const isAddress = /^https?:/.test(address.trim()) && URL.canParse(address);
  return new URL(isAddress ? address : "http://127.0.0.1:3000/");
}

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
    hook: hookOf(address),
  };
  const run = snippet.run(values);
  return (
    <>
      <label class="inline-field">
        <span>Language</span>
        <select
          value={snippet.name}
          onChange={({ currentTarget }) => {
            localStorage.setItem(KEY, currentTarget.value);
            setName(currentTarget.value);
          }}
        >
          {SNIPPETS.map((one) => (
            <option key={one.name}>{one.name}</option>
          ))}
        </select>
      </label>
      <Code key={snippet.name} label={snippet.file} value={snippet.text(values)} />
      <p class="row">
        <span class="muted">Run it</span> <code class="break">{run}</code>
        <CopyButton small text={run} label="Copy command" />
      </p>
    </>
  );
}
