// Slow: each bot at each width, in a page of its own.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { BOTS, type Bot } from "./bots.js";
import { live, open, seen } from "./browser.js";
import { field, logOf } from "./page.js";

type Size = readonly [width: number, height: number];
const SIZES: readonly Size[] = [
  [390, 844],
  [768, 1024],
  [1280, 800],
  [1440, 900],
  [1920, 1080],
];
const AT_ONCE = 4;
const TEXT = "Where is my order?";

/** Notes what the card has said, and whether it was in sight as a whole. Runs in the page. */
const WATCH = `
  window.told = [];
  const look = () => {
    const card = document.querySelector(".due");
    const text = card?.querySelector("[role=timer]").innerText ?? "";
    const { left, top, right, bottom } = card?.getBoundingClientRect() ?? {};
    const isSeen = ([x, y]) => card?.contains(document.elementFromPoint(x, y)) === true;
    const corners = [[left + 2, top + 2], [right - 2, top + 2], [left + 2, bottom - 2], [right - 2, bottom - 2]];
    const inSight = card !== null && corners.every(isSeen);
    const last = window.told.at(-1);
    if (text !== "" && (last?.text !== text || last.inSight !== inSight))
      window.told.push({ text, inSight });
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);`;

interface Told {
  readonly text: string;
  readonly inSight: boolean;
}

/** How the customer's message is sent: by the button, by Enter, or from elsewhere, as by the command line. */
const WAYS: Readonly<
  Record<string, (page: Page, fromElsewhere: () => Promise<unknown>) => Promise<unknown>>
> = {
  mouse: async (page) => {
    await field(page, "Write as the customer").fill(TEXT);
    await page.getByRole("button", { name: "Send as customer" }).click();
  },
  Enter: async (page) => {
    await field(page, "Write as the customer").fill(TEXT);
    await field(page, "Write as the customer").press("Enter");
  },
  "command line": (_page, fromElsewhere) => fromElsewhere(),
};
const WAY_NAMES = Object.keys(WAYS);

/** Asks a bot on a page of its own, which must show the true cause and no other. */
async function ask(bot: Bot, way: string, [width, height]: Size): Promise<void> {
  const { thread = "9001", sandbox = "default", says, start } = bot;
  const where = `${bot.name}, by ${way}, at ${width} px`;
  const sim = await startSimulator();
  if (sandbox !== "default") await sim.control("POST /sandboxes", { id: sandbox });
  const control: typeof sim.control = (line, ...rest) =>
    sim.control(sandbox === "default" ? line : line.replace(" ", ` /sandboxes/${sandbox}`), ...rest);
  await start({ sim, control });
  const page = await open(sim, {
    search: `?sandbox=${sandbox}&thread=${thread}`,
    viewport: { width, height },
  });
  await live(page);
  await page.evaluate(WATCH);
  const told = () => page.evaluate("window.told") as Promise<Told[]>;
  const write = () => control(`POST /threads/${thread}/inbound`, { text: TEXT });
  await WAYS[way]?.(page, write);
  // The replies of a bot that answers itself may have pushed the question out of the page by then.
  const isAsked = async () =>
    (await logOf(page).getByText(TEXT).count()) > 0 || (await told()).some(({ inSight }) => inSight);
  await expect.poll(isAsked, { message: where }).toBe(true);
  if (bot.repliesFirst) {
    await seen(logOf(page).getByText("Here").last());
    await WAYS[way]?.(page, write);
  }
  if (says === null) {
    const why = async () => (await control(`GET /threads/${thread}/why`)).body.cause;
    await expect.poll(why, { message: where }).toBe("replied");
    await control("POST /wait", { for: "idle" });
  } else
    await expect
      .poll(async () => (await told()).some(({ text, inSight }) => inSight && says.test(text)), {
        message: where,
      })
      .toBe(true);
  const all = await told();
  const wrong = all.filter(({ text }) => says === null || !says.test(text));
  expect.soft(wrong, where).toEqual([]);
  await page.context().close();
}

test.each(SIZES)(
  "the true cause is in sight at %i x %i, and nobody is accused wrongly",
  async (...size) => {
    const at = SIZES.findIndex(([width]) => width === size[0]);
    const left = BOTS.entries();
    const work = async () => {
      // Over the widths each bot is asked in every way.
      for (const [index, bot] of left) await ask(bot, WAY_NAMES[(index + at) % WAY_NAMES.length] ?? "", size);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  },
  900_000,
);
