import { firstView } from "./lib/first-view";
import { parseRoute } from "./lib/route";

// What the first view shows is asked for while the program itself is on its way.
firstView.ask(location.search);
const place = document.getElementById("app");
if (parseRoute(location.search).thread !== null) import("./conversation/thread-view").catch(() => {});
if (place !== null) import("./app").then(({ show }) => show(place));
