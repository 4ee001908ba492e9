import { parseRoute } from "./lib/route";

const place = document.getElementById("app");
if (parseRoute(location.search).thread !== null) import("./conversation/thread-view").catch(() => {});
if (place !== null) import("./app").then(({ show }) => show(place));
