/** The path of the control API; the page itself is at `…/__sim/ui/`. */
export const CONTROL = new URL("..", new URL(import.meta.env.BASE_URL, location.href)).pathname.replace(
  /\/$/,
  "",
);
