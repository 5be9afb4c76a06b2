import type { ReactNode } from "react";
import { ViewerFrame } from "./viewer-frame.tsx";

export default function ExploreLayout({ children }: { children: ReactNode }) {
  return <ViewerFrame>{children}</ViewerFrame>;
}
