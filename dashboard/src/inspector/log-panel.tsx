import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { useApp, useFilter, useItem, useOpenItem, useSwitch } from "../lib/context";
import { plural } from "../lib/format";
import type { LiveLog } from "../model/live-log";
import { Check } from "../parts/check";
import { ConfirmedButton } from "../parts/confirmed-button";
import { Loading } from "../parts/empty";
import { WindowedList } from "../parts/windowed-list";

interface Entry {
  readonly id: string;
}

interface Props<T extends Entry> {
  /** What the table is called: `Requests`. */
  readonly name: string;
  readonly log: LiveLog<T>;
  /** The text of an entry that the filter searches. */
  readonly searchText: (entry: T) => string;
  readonly threadOf?: (entry: T) => string | null;
  readonly row: (entry: T, open: boolean) => ComponentChildren;
  readonly rowClass?: (entry: T) => string;
  readonly details: (entry: T) => ComponentChildren;
  readonly empty: ComponentChildren;
  readonly onClear?: (() => void) | undefined;
  /** Shown even if the log is empty. */
  readonly controls?: ComponentChildren;
}

/** Parts of a row that do not open it when they are clicked. */
const OWN_CLICKS = ".log-details, [data-own]";

/** A log, newest first. The open row shows its details; the address has its id. */
export function LogPanel<T extends Entry>(props: Props<T>) {
  const { name, log, searchText, threadOf, row, rowClass, details, empty, onClear, controls } = props;
  const { session, route, navigate } = useApp();
  const { entries } = log;
  const item = useItem();
  const openItem = useOpenItem();
  const [filter, setFilter] = useFilter(name.toLowerCase());
  const [ownThread, setOwnThread] = useSwitch(`${name.toLowerCase()}.thread`);
  const [texts] = useState(() => new WeakMap<T, string>());
  const matching = useMemo(() => {
    const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
    // An entry that changes is another object.
    const textOf = (entry: T): string => {
      const text = texts.get(entry) ?? searchText(entry).toLowerCase();
      texts.set(entry, text);
      return text;
    };
    const all = entries.filter(
      (entry) =>
        (!ownThread || threadOf === undefined || threadOf(entry) === route.thread) &&
        words.every((word) => textOf(entry).includes(word)),
    );
    return all.reverse();
  }, [entries, filter, ownThread, route.thread, searchText, threadOf, texts]);
  const inner = useMemo(() => ({ role: "table" as const, "aria-label": name }), [name]);
  const missing = route.item !== null && !entries.some(({ id }) => id === item) && (
    <p class="why pad" role="status">
      {item === null ? `${route.item} is from before the last reset.` : `${item} is not in this log.`}
    </p>
  );
  if (entries.length === 0 && session.connection.value.state === "connecting")
    return <Loading what={name.toLowerCase()} />;
  if (entries.length === 0)
    return (
      <div class="panel-scroll">
        {controls}
        {missing}
        {empty}
      </div>
    );
  return (
    <>
      <div class="panel-tools">
        <input
          type="search"
          aria-label={`Filter ${name.toLowerCase()}`}
          placeholder="Filter"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        {threadOf === undefined ? null : (
          <Check
            title={route.thread === null ? "No thread is open" : undefined}
            checked={ownThread}
            disabled={route.thread === null}
            onCheck={setOwnThread}
          >
            This thread
          </Check>
        )}
        <span class="muted small-text grow end">
          {log.isCut && matching.length === entries.length ? "more than " : ""}
          {plural(matching.length, "entry", "entries")}
        </span>
        {onClear === undefined ? null : (
          <ConfirmedButton label="Clear" confirm="Confirm clearing" onConfirm={onClear} />
        )}
      </div>
      {controls}
      {missing}
      {matching.length === 0 ? (
        <p class="muted pad">No matches.</p>
      ) : (
        <WindowedList
          items={matching}
          keyOf={(entry) => entry.id}
          estimate={45}
          reveal={item}
          inner={inner}
          render={(entry) => {
            const open = entry.id === item;
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the row's own button does the same by keyboard
              // biome-ignore lint/a11y/useFocusableInteractive: as above
              <div
                key={entry.id}
                data-key={entry.id}
                role="row"
                class={`log-row ${open ? "open" : ""} ${rowClass?.(entry) ?? ""}`}
                onClick={(event) => {
                  // The path is that of the click: its target may have left the page since.
                  if (event.composedPath().some((one) => one instanceof Element && one.matches(OWN_CLICKS)))
                    return;
                  if (getSelection()?.isCollapsed === false) return;
                  open ? navigate({ item: null, run: null }) : openItem(entry.id);
                }}
              >
                <div class="log-summary" role="presentation">
                  {row(entry, open)}
                </div>
                {open ? (
                  <div class="log-details" role="cell">
                    {details(entry)}
                  </div>
                ) : null}
              </div>
            );
          }}
        />
      )}
    </>
  );
}
