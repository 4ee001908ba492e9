import { render } from "preact";
import { Root } from "./root";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/conversation.css";
import "./styles/inspector.css";

const app = document.getElementById("app");
if (app !== null) render(<Root />, app);
