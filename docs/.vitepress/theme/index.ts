/** The theme that VitePress brings, with the fonts of the reader's system and a picture of the dashboard. */
import theme from "vitepress/theme-without-fonts";
import { h } from "vue";
import dark from "../../screenshots/conversation-dark.jpg";
import light from "../../screenshots/conversation-light.jpg";
import "./style.css";

const alt = "The dashboard, with a conversation, the calls that it caused, and the log beside it";

export default {
  extends: theme,
  Layout: () =>
    h(theme.Layout, null, {
      "home-hero-image": () => [
        h("img", { class: "picture light", src: light, alt }),
        h("img", { class: "picture dark", src: dark, alt }),
      ],
    }),
};
