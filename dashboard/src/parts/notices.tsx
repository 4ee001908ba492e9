export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly tone: "good" | "bad";
}

/** Short news that have no place of their own on the page. */
export const Notices = ({ notices }: { notices: readonly Notice[] }) => (
  <div class="notices" role="status">
    {notices.map(({ id, text, tone }) => (
      <p key={id} class={`notice ${tone}`}>
        {text}
      </p>
    ))}
  </div>
);
