import { masked } from "../../../src/kernel/masking.js";
import { useAction } from "../lib/action";
import { useApp } from "../lib/context";
import { apiCurl, requestCurl, requestTarget } from "../lib/curl";
import { shortMs } from "../lib/format";
import { lazy } from "../lib/lazy";
import { previousOf, threadOfRequest } from "../model/entries";
import { operationName, requestOutcome, warningNames } from "../model/outcome";
import type { Findable } from "../model/query";
import { ofRequest } from "../model/query";
import { requestStep } from "../model/scenario";
import type { RequestRecord } from "../model/types";
import { Bounded } from "../parts/bounded";
import { Code } from "../parts/code";
import { CopyButton } from "../parts/copy-button";
import { DialogButton } from "../parts/dialog-button";
import { Empty } from "../parts/empty";
import { Icon } from "../parts/icon";
import { Pill } from "../parts/pill";
import { LogPanel } from "./log-panel";
import { Facts, ItemLink, RowToggle, TimeCell } from "./row-parts";
import { TrafficSummary } from "./traffic-summary";
import { WhatChanged } from "./what-changed";

const searchText = (request: RequestRecord): string => {
  const { id, method, operation, status, by, token, body, response } = request;
  const call = `${id} ${method} ${requestTarget(request)} ${operation} ${status} ${by} ${token}`;
  return `${call} ${JSON.stringify(body)} ${JSON.stringify(response)}`;
};

const findable = (request: RequestRecord, text: string): Findable =>
  ofRequest(request, threadOfRequest(request), text);

export function RequestsPanel() {
  const { session } = useApp();
  const action = useAction();
  const clear = () => action.run(() => session.transport.call("DELETE", "/requests"));
  return (
    <LogPanel
      name="Requests"
      log={session.requests}
      searchText={searchText}
      findable={findable}
      threadOf={threadOfRequest}
      onClear={clear}
      summary={<TrafficSummary kind="requests" />}
      empty={<NoRequests />}
      rowClass={(request) => requestOutcome(request).tone}
      row={(request, open) => {
        const { tone } = requestOutcome(request);
        return (
          <>
            <RowToggle
              open={open}
              label={`${request.method} ${request.path} ${request.status ?? "no answer"}`}
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

function NoRequests() {
  const { session, route } = useApp();
  const thread = session.tables.threadOrFirst(route.thread);
  // A call that no closed window and no channel refuses.
  const path = thread && `/api/get-customer-thread-details?customerThreadId=${thread.id}`;
  return (
    <Empty title="No API calls yet" command={path && apiCurl("GET", path, session.apiKey(thread))}>
      Calls to the simulated API appear here. Try one:
    </Empty>
  );
}

const SendAgain = lazy<{ readonly request: RequestRecord; readonly onClose: () => void }>(
  "the form",
  async () => (await import("./send-again")).SendAgain,
);

function RequestDetails({ request }: { request: RequestRecord }) {
  const { session, navigate } = useApp();
  const caused = session.deliveries.entries.filter(({ causedBy }) => causedBy === request.id);
  const thread = threadOfRequest(request);
  const { method, path } = request;
  const last = previousOf(
    session.requests.entries,
    request,
    (one) => one.method === method && one.path === path,
  );
  return (
    <>
      <Facts
        facts={[
          ["Id", request.id],
          ["Outcome", requestOutcome(request).description],
          ["Operation", request.operation ?? "none: unknown path"],
          ["Path", `${request.method} ${requestTarget(request)}`],
          ["Called by", request.by === "client" ? "your bot" : "a scenario step"],
          ["Token", request.token ?? "none"],
          request.fault === undefined ? null : ["Fault", request.fault],
          thread === null
            ? null
            : [
                "Thread",
                <button key="t" type="button" class="link" onClick={() => navigate({ thread })}>
                  {thread}
                </button>,
              ],
          caused.length === 0
            ? null
            : [
                "Deliveries",
                <ul key="d">
                  <Bounded items={caused} step={20}>
                    {({ id, hookId }) => (
                      <li key={id}>
                        <ItemLink id={id}>
                          {id} to {hookId}
                        </ItemLink>
                      </li>
                    )}
                  </Bounded>
                </ul>,
              ],
        ]}
      />
      <ul>
        <Bounded items={request.warnings} step={20}>
          {(warning) => (
            <li key={warning.id} class="warning-line">
              <ItemLink id={warning.id}>{warning.code}</ItemLink> {warning.message}
            </li>
          )}
        </Bounded>
      </ul>
      <WhatChanged cause={request.id} />
      {Object.keys(request.query).length === 0 ? null : <Code label="Query" value={request.query} />}
      {request.body === null ? null : (
        <Code label="Body" value={request.body} before={last && { id: last.id, value: last.body }} />
      )}
      <Code label="Answer" value={request.response} before={last && { id: last.id, value: last.response }} />
      <Code label="Headers" value={masked(request.headers, "headers", { isStrict: true })} />
      <div class="row">
        <DialogButton class="small" dialog={(onClose) => <SendAgain request={request} onClose={onClose} />}>
          <Icon name="replay" />
          Send again
        </DialogButton>
        <CopyButton text={requestCurl(request)} label="Copy curl" />
        <CopyButton text={requestStep(request)} label="Copy scenario step" />
        <CopyButton text={request.id} label="Copy id" />
      </div>
    </>
  );
}
