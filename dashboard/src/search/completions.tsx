import { useApp } from "../lib/context";
import { completionsOf } from "../model/query";

/** Terms that complete a search: one press each. */
export function Completions({ search, onChoose }: { search: string; onChoose: (search: string) => void }) {
  const { session, route } = useApp();
  const { requests, deliveries, tables } = session;
  const operations = requests.entries.flatMap(({ operation }) => operation ?? []);
  const known = {
    status: ["4xx", "5xx", "failed", "2xx"],
    thread: [...(route.thread === null ? [] : [route.thread]), ...tables.threads.records.keys()],
    operation: [...operations, ...deliveries.entries.map(({ eventType }) => eventType)],
  };
  return (
    <div class="row completions" role="group" aria-label="Completions">
      {completionsOf(search, known).map(({ term, search: completed }) => (
        <button key={term} type="button" class="small completion" onClick={() => onChoose(completed)}>
          {term}
        </button>
      ))}
    </div>
  );
}
