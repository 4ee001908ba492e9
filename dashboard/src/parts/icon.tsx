const PATHS = {
  hook: "M8 3v6m0 0a3 3 0 1 0 3 3V9M5 3h6",
  call: "M3 8h9m0 0L8.5 4.5M12 8l-3.5 3.5",
  shield: "M8 2l5 2v4c0 3-2.2 5-5 6-2.8-1-5-3-5-6V4zM5.5 8h5",
  warn: "M8 2.5 14 13H2zM8 6.500v3M8 11.200v.1",
  clock: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 5v3l2 1.5",
  bolt: "M9 1.5 3.5 9H8l-1 5.500L12.5 7H8z",
  page: "M4 2.500h8v11H4zM6 6h4M6 8.500h4M6 11h2.500",
  copy: "M6 6V3h7v7h-3M3 6h7v7H3z",
  more: "M3.5 8h.1M8 8h.1M12.5 8h.1",
  chevron: "M5.5 3.5 10.5 8l-5 4.5",
  replay: "M3 8a5 5 0 1 1 1.6 3.700M3 12.500V9.500h3",
  lock: "M4 7h8v6H4zM5.5 7V5a2.5 2.5 0 0 1 5 0v2",
  check: "M3 8.5 6.5 12 13 4.5",
  cross: "M4 4l8 8m0-8-8 8",
  plus: "M8 3v10M3 8h10",
  play: "M5 3l8 5-8 5z",
  dots: "M4 8h.1M8 8h.1M12 8h.1",
  bot: "M3.5 6h9v7h-9zM8 6V3M6 9.300v.4M10 9.300v.4M1.500 9v2M14.500 9v2",
  chat: "M3 3.500h10v7H7l-3 2.500v-2.500H3z",
  mail: "M2.5 4h11v8h-11zM2.5 4.500 8 9l5.500-4.500",
  phone: "M5 2h6v12H5zM7.500 12h1",
  undo: "M6 3 3 6l3 3M3 6h6a4 4 0 0 1 0 8H7",
  redo: "M10 3l3 3-3 3M13 6H7a4 4 0 0 0 0 8h2",
} as const;
export type IconName = keyof typeof PATHS;

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    <path d={PATHS[name]} />
  </svg>
);
