import { useRef } from "preact/hooks";
import type { Attachment } from "../model/types";
import { Icon } from "../parts/icon";

/** A file as the service describes one: what is in it stays here. */
function described({ name, type, size }: File): Attachment {
  const hex = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) =>
    byte.toString(16).padStart(2, "0"),
  );
  const uuid = hex.join("").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  return { uuid, name, contentType: type || "application/octet-stream", contentLength: size };
}

interface Props {
  /** Who attaches it: `the customer`. */
  readonly by: string;
  readonly attachment: Attachment | null;
  readonly onAttach: (attachment: Attachment | null) => void;
}

/** Chooses a file to go with a message, and shows which one was. */
export function AttachFile({ by, attachment, onAttach }: Props) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={`File of ${by}`}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file !== undefined) onAttach(described(file));
          currentTarget.value = "";
        }}
      />
      {attachment === null ? (
        <button
          type="button"
          class="ghost small"
          aria-label={`Attach a file as ${by}`}
          onClick={() => input.current?.click()}
        >
          <Icon name="plus" />
          <span class="if-roomy">File</span>
        </button>
      ) : (
        <span class="attached small-text">
          <span class="ellipsis" dir="auto">
            {attachment.name}
          </span>
          <button
            type="button"
            class="ghost icon-only"
            aria-label={`Remove ${attachment.name}`}
            onClick={() => onAttach(null)}
          >
            <Icon name="cross" />
          </button>
        </span>
      )}
    </>
  );
}
