import type { ReactNode } from "react";
import { Brand } from "@/components/brand.tsx";
import { FollowedAccount } from "@/components/checkout/followed-account.tsx";
import { QueryProvider } from "@/components/data/query-provider.tsx";
import { AccountMenu } from "@/components/shell/account-menu.tsx";
import { ThemeSwitch } from "@/components/ui/theme-switch.tsx";
import { ClockProvider } from "@/components/ui/values/clock-provider.tsx";
import { getRunning } from "@/lib/server/running.ts";
import { personOf } from "../_session/person.ts";
import { requireSession } from "../_session/session.ts";
import { signOut } from "../sign-in/actions.ts";

/** Checkout has its own frame, without the navigation of the dashboard. */
export default async function CheckoutLayout({ children }: { children: ReactNode }) {
  const person = personOf(await requireSession());
  const { env, ports } = await getRunning();
  const now = (await ports.clock.now()).toISOString();
  const isLive = env.environment === "live";
  return (
    <ClockProvider now={now}>
      <QueryProvider>
        {isLive && <div aria-hidden="true" className="h-0.5 bg-live" />}
        <header className="border-line border-b">
          <div className="wrap flex h-14 items-center gap-4 max-[19rem]:h-auto max-[19rem]:flex-wrap max-[19rem]:py-1 max-sm:gap-1.5">
            <Brand />
            <p className="ms-auto flex items-center gap-2 text-label">
              {isLive ? (
                <>
                  <span aria-hidden="true" className="size-2 rounded-full bg-live" />
                  Live
                </>
              ) : (
                <>
                  Sandbox
                  <span className="font-normal text-ink-2 text-small max-sm:hidden">
                    No real money
                  </span>
                </>
              )}
            </p>
            <ThemeSwitch />
            <AccountMenu person={person} signOut={signOut} />
          </div>
        </header>
        <main id="main" tabIndex={-1} className="wrap w-full flex-1 py-10 outline-none max-sm:py-6">
          <FollowedAccount />
          {children}
        </main>
      </QueryProvider>
    </ClockProvider>
  );
}
