/** The dialogs of the page and its presentation, each loaded when it is opened first. */
import { lazy } from "../lib/lazy";

interface Closable {
  readonly onClose: () => void;
}

export const ClockDialog = lazy<Closable>(
  "the clock",
  async () => (await import("../play/clock-dialog")).ClockDialog,
);
export const ConversationDialog = lazy<Closable>(
  "the form",
  async () => (await import("../world/conversation-dialog")).ConversationDialog,
);
export const HistoryDialog = lazy<Closable>(
  "the history",
  async () => (await import("../play/history-dialog")).HistoryDialog,
);
export const PresentBar = lazy<{ readonly onEnd: () => void }>(
  "the presentation",
  async () => (await import("../play/present-bar")).PresentBar,
);
export const ProfileDialog = lazy<Closable & { readonly customerId: string }>(
  "the profile",
  async () => (await import("../world/profile-dialog")).ProfileDialog,
);
export const SandboxDialog = lazy<Closable>(
  "the form",
  async () => (await import("../world/sandbox-dialog")).SandboxDialog,
);
export const SearchDialog = lazy<Closable>(
  "the search",
  async () => (await import("../search/search-dialog")).SearchDialog,
);
export const ShortcutsDialog = lazy<Closable>(
  "the shortcuts",
  async () => (await import("../play/shortcuts-dialog")).ShortcutsDialog,
);
export const SnapshotsDialog = lazy<Closable>(
  "the snapshots",
  async () => (await import("../play/snapshots-dialog")).SnapshotsDialog,
);
export const TokenDialog = lazy<{ readonly refused: boolean; readonly onAnswer: (token: string) => void }>(
  "the dialog",
  async () => (await import("./token-dialog")).TokenDialog,
);
export const UsersDialog = lazy<Closable>(
  "the users",
  async () => (await import("../world/users-dialog")).UsersDialog,
);
