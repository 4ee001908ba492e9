/** A webhook receiver that answers 200 at once (or never, with `hang`), and says at /count how many calls it got. */
import { createServer } from "node:http";

const hang = process.argv.includes("hang");
let count = 0;
const server = createServer((request, response) => {
  if (request.url === "/count") return response.end(String(count));
  request.resume();
  request.on("end", () => {
    count += 1;
    if (!hang) response.writeHead(200, { "Content-Length": 0 }).end();
  });
});
server.listen(0, "127.0.0.1", () => console.log(`ready at http://127.0.0.1:${server.address().port}`));
process.on("SIGTERM", () => process.exit(0));
