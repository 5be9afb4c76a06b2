import type { ReactNode } from "react";
import { readSession } from "@/app/_session/session.ts";
import DashboardLayout from "@/app/(dashboard)/layout.tsx";
import { SiteFooter } from "@/components/site-footer.tsx";
import { SiteHeader } from "@/components/site-header.tsx";
import { ClockProvider } from "@/components/ui/values/clock-provider.tsx";
import { getRunning } from "@/lib/server/running.ts";

/**
 * The frame of public pages: the dashboard's when signed in, the site's for visitors. It has the `<main>`; a page inside
 * renders its content only. Content marked `data-wide` takes the whole width and height in both.
 */
export async function ViewerFrame({ children }: { children: ReactNode }) {
  if (await readSession()) return <DashboardLayout>{children}</DashboardLayout>;
  const { env, ports } = await getRunning();
  return (
    <ClockProvider now={(await ports.clock.now()).toISOString()}>
      <SiteHeader />
      <main
        id="main"
        tabIndex={-1}
        className="wrap w-full pt-8 pb-16 outline-none has-data-wide:flex has-data-wide:max-w-none has-data-wide:grow has-data-wide:flex-col has-data-wide:pt-6 max-sm:has-data-wide:pt-5"
      >
        {children}
      </main>
      <SiteFooter isSandbox={env.environment === "sandbox"} />
    </ClockProvider>
  );
}
