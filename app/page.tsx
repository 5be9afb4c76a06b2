import { Audiences } from "@/components/landing/audiences.tsx";
import { Headline, Lead } from "@/components/landing/hero-lead.tsx";
import { HowItIsUsed } from "@/components/landing/how-it-is-used.tsx";
import { Measured } from "@/components/landing/measured.tsx";
import { MoneyWords } from "@/components/landing/money-words.tsx";
import { PaidCall } from "@/components/landing/paid-call.tsx";
import { RECORDED } from "@/components/landing/recorded-call.ts";
import { RecordedExchange, RecordedReceipt } from "@/components/landing/recorded-exchange.tsx";
import { StartHere } from "@/components/landing/start-here.tsx";
import { WorksWith } from "@/components/landing/works-with.tsx";
import { SiteFooter } from "@/components/site-footer.tsx";
import { absoluteTime } from "@/components/ui/values/time-text.ts";
import { findSandbox } from "./demo/find-sandbox.ts";
import { readOutline } from "./demo/read-outline.ts";
import { ViewerHeader } from "./explore/viewer-header.tsx";

export default async function LandingPage() {
  const sandbox = await findSandbox();
  return (
    <>
      <ViewerHeader />
      <main id="main" tabIndex={-1} className="outline-none">
        <div className="wrap pt-8 pb-8 lg:pt-14">
          <PaidCall
            headline={<Headline />}
            lead={<Lead />}
            recorded={{
              exchange: <RecordedExchange />,
              receipt: <RecordedReceipt />,
              at: absoluteTime(new Date(RECORDED.recordedAt)),
            }}
            {...(sandbox && {
              live: { outline: await readOutline(), agentUrl: sandbox.agent.url },
            })}
          />
          <WorksWith />
        </div>
        <Audiences />
        <HowItIsUsed />
        <MoneyWords />
        <Measured />
        <StartHere />
      </main>
      <SiteFooter isSandbox={sandbox !== undefined} />
    </>
  );
}
