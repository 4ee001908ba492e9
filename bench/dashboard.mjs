// What the dashboard costs: compressed size, the first message (on a slow network and processor too), a message's way from the API to
// the page, typing while a bot writes, long tasks and heap under 50,000 calls, long tasks while scrolling.
// Needs a build and a chromium: `npm run build && node bench/dashboard.mjs`.

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { createSimulator } from "../dist/library/index.js";
import { findChromium } from "../scripts/programs.mjs";

const FIRST_VIEWS = 7;
const MESSAGES = 40;
/** A slow network: 400 kbit/s, each answer 400 ms later. */
const SLOW_NETWORK = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
const SLOW_PROCESSOR = { rate: 6 };
const TYPED = 120;
const BOT_MESSAGES_A_SECOND = 200;
const CALLS = 50_000;
const WRITES = 15_000;
/** So many calls each time, of which so many are under way. */
const CALLS_A_SECOND = 500;
const CALLS_AT_ONCE = 25;
const SCROLL_STEPS = 120;

const median = (values) => [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)];
const ms = (value) => `${value.toFixed(1)} ms`;

/** What a browser loads that opens every part of the page: brotli where the build wrote it. */
function compressedSize() {
  const folder = join(import.meta.dirname, "..", "dist", "dashboard");
  const sizeOf = (path) => statSync(existsSync(`${path}.br`) ? `${path}.br` : path).size;
  return readdirSync(folder, { recursive: true })
    .filter((name) => /\.(?:js|css|html)$/.test(name))
    .reduce((sum, name) => sum + sizeOf(join(folder, name)), 0);
}

/** Notes when the first thread and the first message stand on the page, long tasks and keys. Runs in the page, before its own scripts. */
const WATCH = `
  window.longTasks = [];
  new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map((entry) => entry.duration)))
    .observe({ type: "longtask", buffered: true });
  window.keys = [];
  new PerformanceObserver((list) => window.keys.push(...list.getEntriesByName("keydown").map((entry) => entry.duration)))
    .observe({ type: "event", durationThreshold: 16 });
  const first = (selector, name) => new MutationObserver((_, observer) => {
    if (document.querySelector(selector) === null) return;
    observer.disconnect();
    requestAnimationFrame(() => { window[name] = performance.now(); });
  }).observe(document, { childList: true, subtree: true });
  first("nav[aria-label=Threads] a", "firstView");
  first("[role=log] article", "firstMessage");
`;

/** Sends a message through the API and resolves with the time until its bubble is there. Runs in the page. */
const SEND = `async (number) => {
  const text = "Message number " + number;
  const shown = new Promise((resolve) => {
    new MutationObserver((_, observer) => {
      const last = [...document.querySelectorAll("[role=log] article")].at(-1);
      if (!last?.textContent.includes(text)) return;
      observer.disconnect();
      resolve(performance.now());
    }).observe(document, { childList: true, subtree: true, characterData: true });
  });
  const start = performance.now();
  await fetch("/api/send-message-to-customer-thread", {
    method: "POST",
    headers: { token: "acme-token", "content-type": "application/json" },
    body: JSON.stringify({ customerThreadId: "9001", text }),
  });
  return (await shown) - start;
}`;

async function openPage(browser, url, { search = "", isSlow = false } = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  if (isSlow) {
    const session = await context.newCDPSession(page);
    await session.send("Network.enable");
    await session.send("Network.emulateNetworkConditions", SLOW_NETWORK);
    await session.send("Emulation.setCPUThrottlingRate", SLOW_PROCESSOR);
  }
  await page.addInitScript(WATCH);
  await page.goto(`${url}/__sim/ui/${search}`);
  await page.locator("nav[aria-label=Threads] a").first().waitFor();
  return page;
}

/** The median time until something is on the page for the first time. */
async function firstTime(browser, url, { name = "firstView", ...options } = {}) {
  const times = [];
  for (let run = 0; run < FIRST_VIEWS; run += 1) {
    const page = await openPage(browser, url, options);
    await page.waitForFunction(`window.${name} !== undefined`);
    times.push(await page.evaluate(`window.${name}`));
    await page.context().close();
  }
  return median(times);
}

/** How long keys take until they are painted, and the long tasks, while a bot writes into the open thread. */
async function typing(browser, url) {
  const page = await openPage(browser, url, { search: "?thread=9001" });
  await page.locator("[role=log] article").first().waitFor();
  await page.evaluate("window.longTasks.length = 0");
  const bot = setInterval(
    () => write(url).then((answer) => answer.arrayBuffer()),
    1_000 / BOT_MESSAGES_A_SECOND,
  );
  await page.getByLabel("Write as the customer").pressSequentially("x".repeat(TYPED), { delay: 80 });
  clearInterval(bot);
  const keys = await page.evaluate("window.keys");
  const tasks = await page.evaluate("window.longTasks");
  await page.context().close();
  // Keys that took less than 16 ms are not reported.
  const all = [...Array(Math.max(0, TYPED - keys.length)).fill(16), ...keys].sort(
    (one, other) => one - other,
  );
  return `p95 ${ms(all[Math.floor(all.length * 0.95)])}, longest task ${ms(Math.max(0, ...tasks))}`;
}

async function messageTime(browser, url) {
  const page = await openPage(browser, url, { search: "?thread=9001" });
  await page.locator("[role=log] article").first().waitFor();
  const times = [];
  for (let number = 0; number < MESSAGES; number += 1) {
    times.push(await page.evaluate(`(${SEND})(${number})`));
  }
  await page.context().close();
  return median(times);
}

const read = (url) =>
  fetch(`${url}/api/get-customer-thread-details?customerThreadId=9001`, { headers: { token: "acme-token" } });
const write = (url) =>
  fetch(`${url}/api/send-message-to-customer-thread`, {
    method: "POST",
    headers: { token: "acme-token", "content-type": "application/json" },
    body: JSON.stringify({ customerThreadId: "9001", text: "One of many" }),
  });

/** Makes calls in a thread that is open on a page, and resolves with the page's long tasks and its heap when all are shown. */
async function manyCalls(browser, url, count, make) {
  const page = await openPage(browser, url, { search: "?thread=9001" });
  await page.locator("[role=log] article").first().waitFor();
  await page.evaluate("window.longTasks.length = 0");
  const call = async () => (await make(url)).arrayBuffer();
  for (let done = 0; done < count; done += CALLS_A_SECOND) {
    const second = new Promise((resolve) => setTimeout(resolve, 1_000));
    for (let at = 0; at < CALLS_A_SECOND; at += CALLS_AT_ONCE)
      await Promise.all(Array.from({ length: CALLS_AT_ONCE }, call));
    await second;
  }
  const [newest] = (await (await fetch(`${url}/__sim/requests`)).json()).slice(-1);
  await page.locator(`[role=tabpanel] [data-key=${newest.id}]`).waitFor();
  const tasks = await page.evaluate("window.longTasks");
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.enable");
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await page.context().close();
  return `heap ${(usedSize / 1e6).toFixed(1)} MB, ${tasks.length} long tasks, longest ${ms(Math.max(0, ...tasks))}`;
}

/** Scrolls a list with the wheel, a frame's time between two turns, and gives back its long tasks. */
async function scroll(page, selector, delta) {
  await page.locator(selector).first().waitFor();
  await page.evaluate("window.longTasks.length = 0");
  await page.locator(selector).first().hover();
  for (let step = 0; step < SCROLL_STEPS; step += 1) {
    await page.mouse.wheel(0, delta);
    await page.evaluate("new Promise(requestAnimationFrame)");
  }
  const tasks = await page.evaluate("window.longTasks");
  const longest = Math.max(0, ...tasks);
  return `${tasks.length} long tasks, longest ${ms(longest)}, ${tasks.filter((task) => task > 100).length} over 100 ms`;
}

function large(state) {
  const [thread] = state.threads;
  const [customer] = state.customers;
  const customers = Array.from({ length: 5_000 }, (_, at) => ({
    ...customer,
    id: `many_${at}`,
    displayName: `Customer Number ${at}`,
  }));
  const threads = customers.map(({ id }, at) => ({ ...thread, id: String(20_000 + at), customerId: id }));
  const messages = Array.from({ length: 10_000 }, (_, at) => ({
    ...state.messages[0],
    id: String(1_000_000 + at),
    threadId: "20000",
    fromCustomer: at % 3 === 0,
    employeeUserId: at % 3 === 0 ? null : "501",
    text: `Message ${at}. ${"More words. ".repeat(at % 13)}`,
    timestamp: 1_700_000_000_000 + at * 60_000,
  }));
  return {
    ...state,
    customers: [...state.customers, ...customers],
    threads: [...state.threads, ...threads],
    messages,
  };
}

const simulator = await createSimulator({ port: 0 });
const browser = await chromium.launch({
  executablePath: findChromium(),
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
  ],
});
try {
  console.log(`compressed size            ${(compressedSize() / 1000).toFixed(1)} kB`);
  const ofThread = { search: "?thread=9001", name: "firstMessage" };
  console.log(`first view (median of ${FIRST_VIEWS})    ${ms(await firstTime(browser, simulator.url))}`);
  console.log(`first message              ${ms(await firstTime(browser, simulator.url, ofThread))}`);
  console.log(`message to page (median)   ${ms(await messageTime(browser, simulator.url))}`);
  const slow = { ...ofThread, isSlow: true };
  console.log(`first message, all slow    ${ms(await firstTime(browser, simulator.url, slow))}`);
  console.log(`typing, ${BOT_MESSAGES_A_SECOND} messages/s     ${await typing(browser, simulator.url)}`);
  const { url } = simulator;
  console.log(
    `after ${CALLS.toLocaleString("en")} reads         ${await manyCalls(browser, url, CALLS, read)}`,
  );
  console.log(
    `after ${WRITES.toLocaleString("en")} messages      ${await manyCalls(browser, url, WRITES, write)}`,
  );
  const state = await (await fetch(`${simulator.url}/__sim/state`)).json();
  await fetch(`${simulator.url}/__sim/state`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(large(state)),
  });
  console.log(`first view, 5,000 threads  ${ms(await firstTime(browser, simulator.url))}`);
  const page = await openPage(browser, simulator.url, { search: "?thread=20000" });
  console.log(`scrolling 5,000 threads    ${await scroll(page, "nav[aria-label=Threads] a", 2_400)}`);
  console.log(`scrolling 10,000 messages  ${await scroll(page, "[role=log] article", -2_400)}`);
} finally {
  await browser.close();
  await simulator.close();
}
