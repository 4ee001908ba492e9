export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly tone: "good" | "bad";
  /** When the person has had the time to read it, ms of the page. */
  readonly until: number;
}

/** Short messages. */
export const Notices = ({ notices }: { notices: readonly Notice[] }) => (
  <div class="notices" role="status">
    {notices.map(({ id, text, tone }) => (
      <p key={id} class={`notice ${tone}`}>
        {text}
      </p>
    ))}
  </div>
);
