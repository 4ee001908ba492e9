import { useState } from "preact/hooks";
import { useApp } from "../lib/context";
import { Code } from "../parts/code";
import { CopyButton } from "../parts/copy-button";
import { SNIPPETS } from "./snippets";

const KEY = "messaging-sim.language";

/** The address as a URL; the usual one of a bot where it is none. */
function hookOf(address: string): URL {
  const isAddress = /^https?:/.test(address.trim()) && URL.canParse(address);
  return new URL(isAddress ? address : "http://127.0.0.1:3000/");
}

/** A small bot in a language of choice, filled in for this sandbox. */
export function SnippetView({ address }: { address: string }) {
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
