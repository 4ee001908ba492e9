import { once } from "node:events";
import type { Socket } from "node:net";
import { connect, createServer } from "node:net";
import { onTestFinished } from "vitest";

/** What a command becomes on its way to the server: another one, or itself where nothing is said. */
export type Rewrite = (
  words: readonly string[],
) => readonly string[] | undefined | Promise<readonly string[] | undefined>;

/** A command that makes the server answer what the function in Lua returns. */
export const answering = (lua: string): readonly string[] => ["EVAL", `return ${lua}`, "0"];

/** A port that leads to a server, past `rewrite`, which sees each command before the server does. */
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

/** The commands that come in, each character of them a byte. */
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
    // A connection that is torn has no more commands.
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
