"use client";

import type { ReactNode } from "react";
import { createLater } from "../later.ts";

export type SidePanelProps = {
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  title: ReactNode;
  /** Steps to the neighbour in the list behind; an arrow without one stands off. */
  onPrevious?: () => void;
  onNext?: () => void;
  hasArrows?: boolean;
  footer?: ReactNode;
  children: ReactNode;
  className?: string;
};

const SidePanelWindow = createLater(() =>
  import("./side-panel-window.tsx").then((it) => it.SidePanelWindow),
);

/**
 * A sheet at the end of the window, over the list it belongs to; the whole width on phones. It comes
 * with the first opening.
 */
export function SidePanel(props: SidePanelProps) {
  const Window = SidePanelWindow.usePart(props.isOpen, () => props.onOpenChange(false));
  return Window && <Window {...props} />;
}
