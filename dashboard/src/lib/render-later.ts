import { options } from "preact";

const inTask = (render: () => void) => setTimeout(render);
const atOnce = (render: () => void) => queueMicrotask(render);

options.debounceRendering = atOnce;

/**
 * Has the page rendered what a function changes in a task of its own, so that the browser can take an input or show a frame
 * before. What a person changes meanwhile is rendered at once: the next key counts on it.
 */
export function renderLater(change: () => void): void {
  options.debounceRendering = inTask;
  try {
    change();
  } finally {
    options.debounceRendering = atOnce;
  }
}
