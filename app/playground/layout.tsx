import type { ReactNode } from "react";
import { ViewerFrame } from "@/app/explore/viewer-frame.tsx";
import { QueryProvider } from "@/components/data/query-provider.tsx";

export default function PlaygroundLayout({ children }: { children: ReactNode }) {
  return (
    <ViewerFrame>
      <QueryProvider>{children}</QueryProvider>
    </ViewerFrame>
  );
}
