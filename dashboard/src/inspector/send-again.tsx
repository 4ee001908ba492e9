import { useId, useState } from "preact/hooks";
import { MASK } from "../../../src/kernel/masking.js";
import { numberOf } from "../../../src/kernel/objects.js";
import { useApp, useOpenItem } from "../lib/context";
import { requestTarget } from "../lib/curl";
import { pretty } from "../lib/format";
import type { Session } from "../model/session";
import type { RequestRecord } from "../model/types";
import { ActionForm } from "../parts/action-form";
import { Dialog } from "../parts/dialog";
import { Field } from "../parts/field";
import { Select } from "../parts/options";

/** Headers that the browser writes itself, or lets no page write. */
const NOT_OURS =
  /^(accept-encoding|accept-language|connection|content-length|cookie|host|keep-alive|origin|referer|te|token|trailer|transfer-encoding|upgrade|user-agent|sec-.*|x-sim-.*)$/i;
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** The headers of a call that can be sent again, one on each line. */
const linesOf = (headers: RequestRecord["headers"]): string =>
  Object.entries(headers)
    .filter(([name]) => !NOT_OURS.test(name))
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");

/** @throws Error for a line that is no header */
function headersIn(lines: string): Headers {
  const headers = new Headers();
  for (const line of lines.split("\n").filter((text) => text.trim() !== "")) {
    const at = line.indexOf(":");
    const name = line.slice(0, at).trim();
    if (at < 0 || !NAME.test(name)) throw new Error(`Invalid header: ${line}`);
    headers.append(name, line.slice(at + 1).trim());
  }
  return headers;
}

/** The call with its secrets, which the page shows masked. */
async function readable({ transport }: Session, request: RequestRecord): Promise<RequestRecord> {
  const number = numberOf(request.id);
  const page = number > 1 ? { since: `r${number - 1}`, limit: "1" } : {};
  const found = await transport.call<RequestRecord[]>("GET", "/requests", {
    query: { ...page, secrets: "show" },
  });
  return found.find(({ id }) => id === request.id) ?? request;
}

const bodyText = ({ body }: RequestRecord): string => (body === null ? "" : pretty(body));

/** A text in which each line that is still as it was shown is as it really was. */
function withSecrets(text: string, shown: string, real: string): string {
  const [before, after] = [shown.split("\n"), real.split("\n")];
  if (before.length !== after.length) return text === shown ? real : text;
  return text
    .split("\n")
    .map((line) => after[before.indexOf(line)] ?? line)
    .join("\n");
}

/** Makes a call of the simulated API again, as it was or changed, and opens what became of it. */
export default function SendAgain({ request, onClose }: { request: RequestRecord; onClose: () => void }) {
  const { session, notify } = useApp();
  const openItem = useOpenItem();
  const tokens = useId();
  const [method, setMethod] = useState(request.method);
  const [target, setTarget] = useState(requestTarget(request));
  const [token, setToken] = useState(request.token ?? "");
  const [headers, setHeaders] = useState(linesOf(request.headers));
  const [body, setBody] = useState(bodyText(request));
  const { users, tokens: known } = session.tables;
  const send = async () => {
    const isOfApi =
      target.startsWith("/") && !/^\/__sim(\/|$)/.test(new URL(location.origin + target).pathname);
    if (!isOfApi)
      throw new Error("Enter a path of the simulated API: it begins with /, but not with /__sim.");
    const isMasked = [target, headers, body].some((text) => text.includes(MASK));
    const real = isMasked ? await readable(session, request) : request;
    const sent = headersIn(withSecrets(headers, linesOf(request.headers), linesOf(real.headers)));
    const address = withSecrets(target, requestTarget(request), requestTarget(real));
    const text = withSecrets(body, bodyText(request), bodyText(real));
    if (token !== "") sent.set("token", token);
    const init = { method, headers: sent, body: text === "" || method === "GET" ? null : text };
    const answer = await fetch(location.origin + address, {
      ...init,
      cache: "no-store",
      credentials: "omit",
    }).catch(() => null);
    if (answer === null) throw new Error("No response: the connection was closed.");
    const id = answer.headers.get("X-Sim-Request");
    notify(`Sent again: ${answer.status}`, answer.ok ? "good" : "bad");
    onClose();
    if (id !== null) openItem(id);
  };
  return (
    <Dialog title="Send again" onClose={onClose} wide>
      <ActionForm submit="Send" onSubmit={send} onClose={onClose}>
        <div class="row">
          <Select label="Method" value={method} onChoose={setMethod}>
            {[...new Set(["GET", "POST", request.method])].map((name) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
          <Field class="grow" label="Path and query" mono value={target} onText={setTarget} />
        </div>
        <Field label="Token" mono list={tokens} placeholder="none" value={token} onText={setToken} />
        <datalist id={tokens}>
          {[...known.records.values()].map(({ id, userId }) => (
            <option
              key={id}
              value={session.sandbox === "default" ? id : `${session.sandbox}.${id}`}
              label={users.get(userId)?.displayName ?? `user ${userId}`}
            />
          ))}
        </datalist>
        <Field label="Headers" mono rows={3} value={headers} onText={setHeaders} />
        <Field label="Body" mono rows={8} value={body} onText={setBody} />
      </ActionForm>
    </Dialog>
  );
}
