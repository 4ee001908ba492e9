import { useAction } from "../lib/action";
import { useApp, useSession } from "../lib/context";
import { apiCurl, requestCurl, targetOf } from "../lib/curl";
import { shortMs } from "../lib/format";
import { outcomeOfRequest } from "../model/outcome";
import { stepOfRequest } from "../model/scenario";
import { threadOfRequest } from "../model/threads-of";
import type { RequestRecord } from "../model/types";
import { Code } from "../parts/code";
import { CopyButton } from "../parts/copy-button";
import { Empty } from "../parts/empty";
import { Pill } from "../parts/pill";
import { Traffic } from "./charts";
import { LogPanel } from "./log-panel";
import { Facts, ItemLink, RowToggle, TimeCell } from "./row-parts";
import { WhatChanged } from "./what-changed";

const textOf = ({ id, method, path, operation, status, by, body }: RequestRecord): string =>
  `${id} ${method} ${path} ${operation} ${status} ${by} ${JSON.stringify(body)}`;

export function RequestsPanel() {
  const session = useSession("requests");
  const action = useAction();
  const clear = () =>
    action.run(async () => {
      await session.api.call("DELETE", "/requests");
      session.requests.clear();
      session.topics.mark("requests");
    });
  return (
    <LogPanel
      name="Requests"
      entries={session.requests.entries}
      textOf={textOf}
      threadOf={threadOfRequest}
      onClear={clear}
      chart={<Traffic kind="requests" />}
      empty={<NoRequests />}
      rowClass={(request) => outcomeOfRequest(request).tone}
      row={(request, open) => {
        const { tone } = outcomeOfRequest(request);
        return (
          <>
            <RowToggle
              open={open}
              label={`${request.method} ${request.path} ${request.status ?? "no answer"}`}
            >
              <span class="method">{request.method}</span> <span class="path">{request.path}</span>
            </RowToggle>
            <span role="cell" class="log-result">
              {request.by === "scenario" ? <span class="mark">scenario</span> : null}
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

function NoRequests() {
  const { session, place } = useApp();
  const thread = session.tables.threads.get(place.thread ?? "") ?? [...session.tables.threads.values()][0];
  const token = session.tables.tokenFor(thread) ?? "YOUR-TOKEN";
  const own = place.sandbox === "default" ? token : `${place.sandbox}.${token}`;
  return (
    <Empty
      title="Nobody has called yet"
      command={apiCurl("POST", "/api/send-message-to-customer-thread", own, {
        customerThreadId: thread?.id ?? "9001",
        text: "Hello from the shell",
      })}
    >
      Calls of your integration to the simulated API appear here. Make one:
    </Empty>
  );
}

function RequestDetails({ request }: { request: RequestRecord }) {
  const { session, go } = useApp();
  const caused = session.deliveries.entries.filter(({ causedBy }) => causedBy === request.id);
  const thread = threadOfRequest(request);
  const rule = session.requests.get(request.id)?.warnings ?? [];
  return (
    <>
      <Facts
        facts={[
          ["Id", request.id],
          ["Outcome", outcomeOfRequest(request).words],
          ["Operation", request.operation ?? "none: unknown path"],
          ["Made by", request.by === "client" ? "the system under test" : "a scenario's own step"],
          ["Token", request.token ?? "none"],
          thread === null
            ? null
            : [
                "Thread",
                <button key="t" type="button" class="link" onClick={() => go({ thread })}>
                  {thread}
                </button>,
              ],
          caused.length === 0
            ? null
            : [
                "Deliveries",
                caused.map(({ id, hookId }) => (
                  <ItemLink key={id} id={id}>
                    {id} to {hookId}
                  </ItemLink>
                )),
              ],
        ]}
      />
      {rule.map((warning) => (
        <p key={warning.id} class="warning-line">
          <ItemLink id={warning.id}>{warning.code}</ItemLink> {warning.message}
        </p>
      ))}
      <WhatChanged cause={request.id} />
      {Object.keys(request.query).length === 0 ? null : <Code label="Query" value={request.query} />}
      {request.body === null ? null : <Code label="Body" value={request.body} />}
      <Code label="Answer" value={request.response} />
      <Code label="Headers" value={request.headers} />
      <div class="row">
        <CopyButton text={requestCurl(request)} label="Copy curl" />
        <CopyButton text={stepOfRequest(request, targetOf(request))} label="Copy scenario step" />
        <CopyButton text={request.id} label="Copy id" />
      </div>
    </>
  );
}
