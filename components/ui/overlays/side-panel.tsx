import { createLater } from "../later.ts";
import type { SidePanelProps } from "./side-panel-window.tsx";

const SidePanelWindow = createLater(() => import("./side-panel-window.tsx"), "SidePanelWindow");

/**
 * A sheet at the end of the window, over the list it belongs to; full width on phones. Fetched when it is
 * first opened.
 */
export function SidePanel(props: SidePanelProps) {
  const Window = SidePanelWindow.usePart(props.isOpen, props.onClose);
  return Window && <Window {...props} />;
}
