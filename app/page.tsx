import { HeroLead } from "@/components/landing/hero-lead.tsx";
import { HowItIsUsed } from "@/components/landing/how-it-is-used.tsx";
import { MoneyWords } from "@/components/landing/money-words.tsx";
import { PaidCall } from "@/components/landing/paid-call.tsx";
import { SiteFooter } from "@/components/site-footer.tsx";
import { findSandbox } from "./demo/find-sandbox.ts";
import { readCreditsLeft } from "./demo/read-credits-left.ts";
import { readOutline } from "./demo/read-outline.ts";
import { ViewerHeader } from "./explore/viewer-header.tsx";

export default async function LandingPage() {
  const sandbox = await findSandbox();
  return (
    <>
      <ViewerHeader />
      <main id="main" tabIndex={-1} className="outline-none">
        <div className="wrap grid gap-x-16 gap-y-8 pt-8 pb-10 lg:grid-cols-[minmax(0,5fr)_minmax(0,7fr)] lg:grid-rows-[auto_1fr] lg:pt-14 lg:pb-16">
          <HeroLead hasDemo={sandbox !== undefined} />
          {sandbox && (
            <PaidCall
              outline={await readOutline()}
              agentUrl={sandbox.agent.url}
              creditsLeft={await readCreditsLeft(sandbox)}
            />
          )}
        </div>
        <HowItIsUsed />
        <MoneyWords />
      </main>
      <SiteFooter isSandbox={sandbox !== undefined} />
    </>
  );
}
