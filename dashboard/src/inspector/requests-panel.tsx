import { useAction } from "../lib/action";
import { useApp } from "../lib/context";
import { requestTarget } from "../lib/curl";
import { shortMs } from "../lib/format";
import { lazy } from "../lib/lazy";
import { threadOfRequest } from "../model/entries";
import { operationName, requestOutcome, warningNames } from "../model/outcome";
import type { RequestRecord } from "../model/types";
import { Empty } from "../parts/empty";
import { Pill } from "../parts/pill";
import { LogPanel } from "./log-panel";
import { RowToggle, TimeCell } from "./row-parts";

const searchText = (request: RequestRecord): string => {
  const { id, method, operation, status, by, token, body, response } = request;
  const call = `${id} ${method} ${requestTarget(request)} ${operation} ${status} ${by} ${token}`;
  return `${call} ${JSON.stringify(body)} ${JSON.stringify(response)}`;
};

const RequestDetails = lazy("the call", () => import("./request-details"));

export default function RequestsPanel() {
  const { session } = useApp();
  const action = useAction();
  const clear = () => action.run(() => session.transport.call("DELETE", "/requests"));
  return (
    <LogPanel
      name="Requests"
      log={session.requests}
      searchText={searchText}
      threadOf={threadOfRequest}
      onClear={clear}
      empty={<Empty title="No API calls yet">Calls to the simulated API appear here.</Empty>}
      rowClass={(request) => requestOutcome(request).tone}
      row={(request, open) => {
        const { tone } = requestOutcome(request);
        return (
          <>
            <RowToggle
              open={open}
              label={`${request.method} ${request.path} ${request.status ?? "no response"}`}
            >
              <Call request={request} />
            </RowToggle>
            <span role="cell" class="log-result">
              {request.by === "scenario" ? <span class="mark">scenario</span> : null}
              {request.warnings.length === 0 ? null : <Pill tone="warn">{warningNames(request)}</Pill>}
              <Pill tone={tone}>{request.durationMs === null ? "…" : (request.status ?? "closed")}</Pill>
              <span class="latency">{request.durationMs === null ? "" : shortMs(request.durationMs)}</span>
            </span>
            <TimeCell at={request.at} />
          </>
        );
      }}
      details={(request) => <RequestDetails request={request} />}
    />
  );
}

/** What a call did, in words; an unknown one by its path. */
function Call({ request }: { request: RequestRecord }) {
  const { tables } = useApp().session;
  const { method, path, operation, body } = request;
  const thread = tables.threads.get(threadOfRequest(request) ?? "");
  const text = (body as { readonly text?: unknown } | null)?.text;
  if (operation === null)
    return (
      <>
        <span class="method">{method}</span> <span class="path">{path}</span>
      </>
    );
  return (
    <>
      <span class="method">{operationName(operation)}</span>
      {thread === undefined ? null : ` → ${tables.customerName(thread)}`}
      {typeof text === "string" ? <span class="path">: “{text}”</span> : null}
    </>
  );
}
