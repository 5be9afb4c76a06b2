import type { ReactNode } from "react";
import { ViewerFrame } from "@/app/explore/viewer-frame.tsx";

export default function SharedRunLayout({ children }: { children: ReactNode }) {
  return <ViewerFrame>{children}</ViewerFrame>;
}
