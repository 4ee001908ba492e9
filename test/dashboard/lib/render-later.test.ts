import { options } from "preact";
import { expect, it } from "vitest";
import { renderLater } from "../../../dashboard/src/lib/render-later.js";

/** Orders a rendering as preact does. */
const order = (render: () => void): void => options.debounceRendering?.(render);

it("renders what it is given in a task of its own, and what changes beside it at once", async () => {
  const rendered: string[] = [];
  const later = new Promise<void>((resolve) => {
    renderLater(() =>
      order(() => {
        rendered.push("stream");
        resolve();
      }),
    );
  });
  order(() => rendered.push("person"));
  await Promise.resolve();
  expect(rendered).toEqual(["person"]);
  await later;
  expect(rendered).toEqual(["person", "stream"]);
});

it("is over also where the change throws", async () => {
  expect(() => renderLater(() => JSON.parse("{"))).toThrow("JSON");
  const rendered: string[] = [];
  order(() => rendered.push("person"));
  await Promise.resolve();
  expect(rendered).toEqual(["person"]);
});
