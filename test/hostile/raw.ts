/** A client that speaks HTTP as badly as a test wants it to. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Writes chunks to a new connection and reads until the server closes it, or until `until` answers have come. */
export async function talk(
  url: string,
  chunks: readonly (string | Buffer)[],
  { until = 1, head = false }: { until?: number; head?: boolean } = {},
): Promise<{ readonly answers: readonly RawAnswer[]; readonly text: string }> {
  const { socket, text } = await connection(url);
  // A server that has heard enough may reset the connection; what it said before counts.
  const ended = new Promise<void>((resolve) => {
    socket.on("data", () => answersIn(text(), head).length >= until && resolve());
    socket.on("end", resolve).on("close", resolve);
  });
  void writeAll(socket, chunks);
  await ended;
  socket.destroy();
  return { text: text(), answers: answersIn(text(), head) };
}

async function writeAll(socket: Socket, chunks: readonly (string | Buffer)[]): Promise<void> {
  for (const chunk of chunks) {
    if (socket.destroyed) return;
    await new Promise<void>((resolve) => socket.write(chunk, "latin1", () => resolve()));
  }
}

/** The whole answers in a stream of bytes, interim ones (1xx) included. */
function answersIn(text: string, head: boolean): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = text;
  for (;;) {
    const end = rest.indexOf("\r\n\r\n");
    const status = /^HTTP\/1\.[01] (\d{3})/.exec(rest)?.[1];
    if (end < 0 || status === undefined) return answers;
    const headText = rest.slice(0, end);
    const length = head ? 0 : Number(/\r\ncontent-length: *(\d+)/i.exec(headText)?.[1] ?? 0);
    const chunked = !head && /\r\ntransfer-encoding: *chunked/i.test(headText);
    const from = end + 4;
    const to = chunked ? rest.indexOf("0\r\n\r\n", from) + 5 : from + length;
    if ((chunked && to < from + 5) || rest.length < to) return answers;
    answers.push({ status: Number(status), head: headText, body: rest.slice(from, to) });
    rest = rest.slice(to);
  }
}

/** The text of one request. `headers` replaces or adds; the body's length is declared unless `headers` says otherwise. */
export function request(
  line: string,
  headers: Readonly<Record<string, string | undefined>> = {},
  body = "",
): string {
  const all: Record<string, string | undefined> = {
    host: "localhost",
    token: "acme-token",
    ...(body === "" ? {} : { "content-type": "application/json", "content-length": String(body.length) }),
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  );
  return `${line} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
}

/** A connection that ends with the test, however abruptly, and what came over it. */
export async function connection(url: string): Promise<{ socket: Socket; text: () => string }> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on("error", () => {});
  let text = "";
  socket.on("data", (data) => {
    text += data.toString("latin1");
  });
  await once(socket, "connect");
  onTestFinished(() => void socket.destroy());
  return { socket, text: () => text };
}
