export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly tone: "good" | "bad";
}

/** Short messages that disappear by themselves. */
export const Notices = ({ notices }: { notices: readonly Notice[] }) => (
  <div class="notices" role="status">
    {notices.map(({ id, text, tone }) => (
      <p key={id} class={`notice ${tone}`}>
        {text}
      </p>
    ))}
  </div>
);
