/** Bare undici posting the same bytes to the same receiver, 16 at a time. Usage: node bare-sender.mjs URL COUNT BODY */
import { Pool } from "undici";

const [url, count, body] = process.argv.slice(2);
const { origin, pathname } = new URL(url);
const pool = new Pool(origin, { connections: 16 });
let left = Number(count);
const began = performance.now();
await Promise.all(
  Array.from({ length: 16 }, async () => {
    while (left > 0) {
      left -= 1;
      const answer = await pool.request({
        path: pathname,
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
      await answer.body.dump();
    }
  }),
);
console.log(`ready at ${((performance.now() - began) / 1000).toFixed(4)}`);
await pool.close();
