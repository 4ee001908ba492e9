import { useApp } from "../lib/context";
import { shortValue } from "../lib/format";
import type { CollectionName, RecordChange } from "../model/types";
import { Bounded } from "../parts/bounded";

/** The fields in which two versions of a record differ. */
function changedFields({ before, after }: RecordChange): { name: string; from: unknown; to: unknown }[] {
  const old: Readonly<Record<string, unknown>> = { ...before };
  const now: Readonly<Record<string, unknown>> = { ...after };
  return [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .map((name) => ({ name, from: old[name], to: now[name] }))
    .filter(({ from, to }) => JSON.stringify(from) !== JSON.stringify(to));
}

const SINGULARS: Readonly<Record<CollectionName, string>> = {
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

/** What a call of the simulated API or of the control API changed; nothing for one before the page was opened. */
export function WhatChanged({ cause }: { cause: string }) {
  const { session } = useApp();
  const changes = session.causes.changesBy(cause).filter((change) => changedFields(change).length > 0);
  if (changes.length === 0) return null;
  return (
    <section class="changed" aria-label="What changed">
      <h3>What changed</h3>
      <ul>
        <Bounded items={changes} step={20}>
          {(change) => (
            <li key={`${change.collection}${change.id}`}>
              <strong>
                {SINGULARS[change.collection]} {change.id}
              </strong>{" "}
              {change.before === null ? "was added" : change.after === null ? "was removed" : null}
              {change.before === null || change.after === null
                ? null
                : changedFields(change).map(({ name, from, to }) => (
                    <div key={name} class="diff">
                      <code>{name}</code> <del>{shortValue(from)}</del> → <ins>{shortValue(to)}</ins>
                    </div>
                  ))}
            </li>
          )}
        </Bounded>
      </ul>
    </section>
  );
}
