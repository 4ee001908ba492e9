import { render } from "preact";
import { Root } from "./root";
import "./styles/index.css";

const app = document.getElementById("app");
if (app !== null) render(<Root />, app);
