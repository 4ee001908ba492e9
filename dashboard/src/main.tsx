import { render } from "preact";
import { parseRoute } from "./lib/route";
import { Root } from "./root";

// The conversation is a file of its own, which an address may already ask for.
if (parseRoute(location.search).thread !== null) import("./conversation/thread-view").catch(() => {});
const place = document.getElementById("app");
if (place !== null) render(<Root />, place);
