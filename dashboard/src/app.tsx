import { render } from "preact";
import { Root } from "./root";
import "./styles/index.css";

/** Shows the page. */
export function show(place: HTMLElement): void {
  render(<Root />, place);
}
