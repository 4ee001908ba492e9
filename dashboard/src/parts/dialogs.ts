/** What opens over the page, each part loaded when it is opened first. */
import { lazy } from "../lib/lazy";

export const ClockPanel = lazy("the clock", () => import("../play/clock-panel"));
export const ConversationDialog = lazy("the form", () => import("../world/conversation-dialog"));
export const ProfileDialog = lazy("the profile", () => import("../world/profile-dialog"));
export const SandboxDialog = lazy("the form", () => import("../world/sandbox-dialog"));
export const ShortcutsDialog = lazy("the shortcuts", () => import("../play/shortcuts-dialog"));
export const SnapshotsDialog = lazy("the snapshots", () => import("../play/snapshots-dialog"));
export const TokenDialog = lazy("the dialog", () => import("./token-dialog"));
export const UsersDialog = lazy("the users", () => import("../world/users-dialog"));
