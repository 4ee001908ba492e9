import assert from "node:assert/strict";
import { test } from "node:test";

const { MESSAGING_SIM_URL, MESSAGING_SIM_CONTROL_TOKEN, BOT_URL } = process.env;

async function control(path, body = {}) {
  const answer = await fetch(`${MESSAGING_SIM_URL}/__sim/sandboxes${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${MESSAGING_SIM_CONTROL_TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  assert.ok(answer.ok, await answer.clone().text());
  return answer.json();
}

test("the bot answers in a container of its own", async () => {
  const { id } = await control("");
  await control(`/${id}/connect`, { url: BOT_URL, header: "token" });
  await control(`/${id}/threads/9001/inbound`, { text: "Is my order ready?" });
  const { count } = await control(`/${id}/wait`, { for: { reply: { thread: "9001", contains: "moment" } } });
  assert.equal(count, 1);
});
