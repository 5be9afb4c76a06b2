import type { ReactNode } from "react";
import { SiteFooter } from "@/components/site-footer.tsx";
import { getRunning } from "@/lib/server/running.ts";
import { ViewerHeader } from "../explore/viewer-header.tsx";

export default async function DocsLayout({ children }: { children: ReactNode }) {
  const { env } = await getRunning();
  return (
    <>
      <ViewerHeader />
      {children}
      <SiteFooter isSandbox={env.environment === "sandbox"} />
    </>
  );
}
