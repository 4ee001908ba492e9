import { useApp } from "../lib/context";
import { shownValue } from "../lib/format";
import type { Change } from "../model/types";

/** The fields in which two versions of a record differ. */
function fieldsOf({ before, after }: Change): { name: string; from: unknown; to: unknown }[] {
  const old = (before ?? {}) as Record<string, unknown>;
  const now = (after ?? {}) as Record<string, unknown>;
  return [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .map((name) => ({ name, from: old[name], to: now[name] }))
    .filter(({ from, to }) => JSON.stringify(from) !== JSON.stringify(to));
}

const ONE: Readonly<Record<string, string>> = {
  businesses: "business",
  customers: "customer",
  messages: "message",
  threads: "thread",
  users: "user",
  webhooks: "webhook",
  tokens: "token",
  templates: "template",
  organizations: "organization",
};

/** What a call or an action changed, as the page saw it happen. */
export function WhatChanged({ cause }: { cause: string | null }) {
  const { session } = useApp();
  const all = cause === null ? [] : session.caused.of(cause);
  const changes = all.filter((change) => fieldsOf(change).length > 0);
  if (changes.length === 0) return null;
  return (
    <section class="changed" aria-label="What changed">
      <h3>What changed</h3>
      <ul>
        {changes.map((change) => (
          <li key={`${change.collection}${change.id}`}>
            <strong>
              {ONE[change.collection] ?? change.collection} {change.id}
            </strong>{" "}
            {change.before === null ? "was added" : change.after === null ? "was removed" : null}
            {change.before === null || change.after === null
              ? null
              : fieldsOf(change).map(({ name, from, to }) => (
                  <div key={name} class="diff">
                    <code>{name}</code> <del>{shownValue(from) ?? "nothing"}</del> →{" "}
                    <ins>{shownValue(to) ?? "nothing"}</ins>
                  </div>
                ))}
          </li>
        ))}
      </ul>
    </section>
  );
}
