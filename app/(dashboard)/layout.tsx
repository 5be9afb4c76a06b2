import { headers } from "next/headers";
import { type ReactNode, Suspense } from "react";
import { HomeFiguresProvider } from "@/components/home/home-figures-provider.tsx";
import { BottomBar } from "@/components/shell/bottom-bar.tsx";
import { Breadcrumb } from "@/components/shell/breadcrumb.tsx";
import { objectOf } from "@/components/shell/crumbs.ts";
import { Rail } from "@/components/shell/rail.tsx";
import type { SandboxTools } from "@/components/shell/sandbox-dialogs.tsx";
import { SignedOut } from "@/components/shell/signed-out.tsx";
import { TopBar } from "@/components/shell/top-bar.tsx";
import { ClockProvider } from "@/components/ui/values/clock-provider.tsx";
import type { Ports } from "@/lib/domain/ports.ts";
import { getRunning } from "@/lib/server/running.ts";
import { read } from "../_session/operations.ts";
import { personOf } from "../_session/person.ts";
import { readPreference } from "../_session/preferences.ts";
import { requireSession } from "../_session/session.ts";
import { signOut } from "../sign-in/actions.ts";
import { attempt } from "./home/attempt.ts";
import { chooseDensity } from "./preference-actions.ts";
import { addTestFunds, advanceClock } from "./sandbox-actions.ts";

/** The frame of every page that needs an account. Each page checks the session as well. */
export default async function DashboardLayout({ children }: { children: ReactNode }) {
  const person = personOf(await requireSession());
  const { env, ports } = await getRunning();
  const now = (await ports.clock.now()).toISOString();
  const isCompact = (await readPreference("density")) === "compact";
  return (
    <ClockProvider now={now}>
      <HomeFiguresProvider>
        {env.environment === "live" && <div aria-hidden="true" className="h-0.5 bg-live" />}
        <div
          data-density={isCompact ? "compact" : undefined}
          data-without-cards={env.rails.cards ? undefined : true}
          className="grid min-h-dvh flex-1 lg:grid-cols-[auto_minmax(0,1fr)] print:block"
        >
          <Rail />
          <div className="flex min-w-0 flex-col">
            <TopBar
              environment={{
                environment: env.environment,
                otherUrl: env.otherEnvironmentUrl,
                sandbox: env.environment === "sandbox" ? sandboxTools(ports, now) : undefined,
              }}
              breadcrumb={
                <Suspense fallback={<Breadcrumb />}>
                  <NamedBreadcrumb />
                </Suspense>
              }
              account={{ person, signOut, density: { isCompact, choose: chooseDensity } }}
            />
            <main
              id="main"
              tabIndex={-1}
              className="w-full max-w-[calc(1640px+2*var(--gutter))] px-(--gutter) pt-6 pb-16 outline-none has-data-wide:flex has-data-wide:max-w-none has-data-wide:grow has-data-wide:flex-col max-sm:pt-5 max-sm:pb-24"
            >
              <SignedOut />
              {children}
            </main>
          </div>
        </div>
        <BottomBar />
      </HomeFiguresProvider>
    </ClockProvider>
  );
}

const sandboxTools = ({ faucet }: Ports, now: string): SandboxTools => ({
  now,
  ...(faucet && { addTestFunds }),
  advanceClock,
});

async function NamedBreadcrumb() {
  const path = (await headers()).get("x-turnpike-path")?.split("?")[0] ?? "";
  const object = objectOf(path);
  if (!object) return <Breadcrumb />;
  const found = await attempt("breadcrumb", read("search", { q: object.id }));
  const named = found?.items.find(({ href, name }) => href === object.href && name !== object.id);
  return <Breadcrumb names={named ? { [object.href]: named.name } : {}} />;
}
