import { render } from "preact";
import { Page } from "./model/page";
import { Root } from "./root";

const page = new Page();
page.start();
// The conversation is a file of its own, which an address may already ask for.
if (page.route.thread !== null) import("./conversation/thread-view").catch(() => {});
const place = document.getElementById("app");
if (place !== null) render(<Root page={page} />, place);
