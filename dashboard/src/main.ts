import { firstView } from "./lib/first-view";

// What the first view shows is asked for while the program itself is on its way.
firstView.ask(location.search);
const place = document.getElementById("app");
if (place !== null) import("./app").then(({ show }) => show(place));
