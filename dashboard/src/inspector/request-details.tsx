import { maskedHeaders } from "../../../src/kernel/masking.js";
import { useApp } from "../lib/context";
import { requestCurl, requestTarget } from "../lib/curl";
import { lazy } from "../lib/lazy";
import { threadOfRequest } from "../model/entries";
import { requestOutcome } from "../model/outcome";
import type { RequestRecord } from "../model/types";
import { Bounded } from "../parts/bounded";
import { Code } from "../parts/code";
import { CopyButton } from "../parts/copy-button";
import { DialogButton } from "../parts/dialog-button";
import { Facts, ItemLink, ThreadLink } from "./row-parts";

const SendAgain = lazy("the form", () => import("./send-again"));

export default function RequestDetails({ request }: { request: RequestRecord }) {
  const { session } = useApp();
  const caused = session.deliveries.entries.filter(({ causedBy }) => causedBy === request.id);
  const thread = threadOfRequest(request);
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
          thread === null ? null : ["Thread", <ThreadLink key="t" id={thread} />],
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
      {Object.keys(request.query).length === 0 ? null : <Code label="Query" value={request.query} />}
      {request.body === null ? null : <Code label="Body" value={request.body} />}
      <Code label="Answer" value={request.response} />
      <Code label="Headers" value={maskedHeaders(request.headers)} />
      <div class="row">
        <DialogButton
          icon="replay"
          class="small"
          dialog={(onClose) => <SendAgain request={request} onClose={onClose} />}
        >
          Send again
        </DialogButton>
        <CopyButton text={requestCurl(request)} label="Copy curl" />
        <CopyButton text={request.id} label="Copy id" />
      </div>
    </>
  );
}
