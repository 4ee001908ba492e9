import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Replaces a command on its way to the server; undefined keeps it. */
export type Rewrite = (
  words: readonly string[],
) => readonly string[] | undefined | Promise<readonly string[] | undefined>;

/** A command whose answer is the value of a Lua expression. */
export const answering = (lua: string): readonly string[] => ["EVAL", `return ${lua}`, "0"];

/** A port that forwards to a server, with each command passed through `rewrite`. */
export async function linkTo(port: number, rewrite: Rewrite): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer(async (client) => {
    const upstream = connect(port, "127.0.0.1");
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        client.destroy();
        upstream.destroy();
      });
    }
    upstream.pipe(client);
    for await (const words of commandsOf(client)) upstream.write(encoded((await rewrite(words)) ?? words));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as { port: number }).port;
}

/** The received commands, one character per byte. */
async function* commandsOf(socket: Socket): AsyncGenerator<string[]> {
  let text = "";
  try {
    for await (const chunk of socket) {
      text += (chunk as Buffer).toString("latin1");
      for (let read = firstOf(text); read !== undefined; read = firstOf(text)) {
        text = text.slice(read.length);
        yield read.words;
      }
    }
  } catch {
    // A broken connection has no more commands.
  }
}

function firstOf(text: string): { readonly words: string[]; readonly length: number } | undefined {
  const head = /^\*(\d+)\r\n/.exec(text);
  if (head === null) return undefined;
  const words: string[] = [];
  let at = head[0].length;
  while (words.length < Number(head[1])) {
    const size = /^\$(\d+)\r\n/.exec(text.slice(at, at + 20));
    if (size === null) return undefined;
    const begin = at + size[0].length;
    const end = begin + Number(size[1]);
    if (text.length < end + 2) return undefined;
    words.push(text.slice(begin, end));
    at = end + 2;
  }
  return { words, length: at };
}

const encoded = (words: readonly string[]): Buffer =>
  Buffer.from(
    `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join("")}`,
    "latin1",
  );
