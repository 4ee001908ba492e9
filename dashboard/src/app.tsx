import { render } from "preact";
import { Root } from "./root";

/** Shows the page. */
export function show(place: HTMLElement): void {
  render(<Root />, place);
}
