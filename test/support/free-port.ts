import { once } from "node:events";
import { createServer } from "node:net";

/** An unused port below the range that systems use for port 0, so that no other test gets it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const server = createServer().listen(port, "127.0.0.1");
    const free = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!free) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
