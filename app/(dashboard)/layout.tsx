import type { ReactNode } from "react";
import { HomeFiguresProvider } from "@/components/home/home-figures-provider.tsx";
import { BottomBar } from "@/components/shell/bottom-bar.tsx";
import { Rail } from "@/components/shell/rail.tsx";
import { TopBar } from "@/components/shell/top-bar.tsx";
import { getRunning } from "@/lib/server/running.ts";
import { personOf } from "../_session/person.ts";
import { requireSession } from "../_session/session.ts";
import { signOut } from "../sign-in/actions.ts";

/** The frame of every page that needs an account. Each page checks the session as well. */
export default async function DashboardLayout({ children }: { children: ReactNode }) {
  const person = personOf(await requireSession());
  const { env } = await getRunning();
  return (
    <HomeFiguresProvider>
      {env.environment === "live" && <div aria-hidden="true" className="h-0.5 bg-live" />}
      <div className="grid min-h-dvh flex-1 lg:grid-cols-[auto_minmax(0,1fr)]">
        <Rail />
        <div className="flex min-w-0 flex-col">
          <TopBar environment={env.environment} person={person} signOut={signOut} />
          <main
            id="main"
            tabIndex={-1}
            className="w-full max-w-[calc(1200px+2*var(--gutter))] px-(--gutter) pt-6 pb-16 outline-none has-data-wide:flex has-data-wide:max-w-none has-data-wide:grow has-data-wide:flex-col max-sm:pt-5 max-sm:pb-24"
          >
            {children}
          </main>
        </div>
      </div>
      <BottomBar />
    </HomeFiguresProvider>
  );
}
