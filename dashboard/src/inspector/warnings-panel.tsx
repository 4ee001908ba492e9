import { useAction } from "../lib/action";
import { useApp } from "../lib/context";
import { threadOfRequest } from "../model/entries";
import type { Warning } from "../model/types";
import { CopyButton } from "../parts/copy-button";
import { Empty } from "../parts/empty";
import { Pill } from "../parts/pill";
import { LogPanel } from "./log-panel";
import { Facts, ItemLink, RowToggle } from "./row-parts";

const searchText = ({ id, code, message, section, requestId }: Warning): string =>
  `${id} ${code} ${message} ${section} ${requestId}`;

export default function WarningsPanel() {
  const { session } = useApp();
  const action = useAction();
  const threadOf = (warning: Warning): string | null => {
    const request = warning.requestId === null ? undefined : session.requests.get(warning.requestId);
    return request === undefined ? null : threadOfRequest(request);
  };
  const clear = () => action.run(() => session.transport.call("DELETE", "/warnings"));
  return (
    <LogPanel
      name="Warnings"
      log={session.warnings}
      searchText={searchText}
      threadOf={threadOf}
      onClear={clear}
      empty={
        <Empty title="No warnings">
          Calls that rely on undocumented behaviour appear here, such as a number where the specification says
          string.
        </Empty>
      }
      row={(warning, open) => (
        <>
          <RowToggle open={open} label={warning.code}>
            <span class="path">{warning.message}</span>
          </RowToggle>
          <span role="cell" class="log-result">
            <Pill tone="warn">{warning.code}</Pill>
          </span>
        </>
      )}
      details={(warning) => (
        <>
          <p>{warning.message}</p>
          <Facts
            facts={[
              ["Id", warning.id],
              ["Section", warning.section],
              ["Call", warning.requestId === null ? "none" : <ItemLink key="r" id={warning.requestId} />],
            ]}
          />
          <div class="row">
            <CopyButton text={warning.id} label="Copy id" />
          </div>
        </>
      )}
    />
  );
}
