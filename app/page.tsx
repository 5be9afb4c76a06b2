import { Audiences } from "@/components/landing/audiences.tsx";
import { HowItIsUsed } from "@/components/landing/how-it-is-used.tsx";
import { Measured } from "@/components/landing/measured.tsx";
import { MoneyWords } from "@/components/landing/money-words.tsx";
import { PaidCall } from "@/components/landing/paid-call.tsx";
import { StartHere } from "@/components/landing/start-here.tsx";
import { WorksWith } from "@/components/landing/works-with.tsx";
import { SiteFooter } from "@/components/site-footer.tsx";
import { findSandbox } from "./demo/find-sandbox.ts";
import { ViewerHeader } from "./explore/viewer-header.tsx";

export default async function LandingPage() {
  const sandbox = await findSandbox();
  return (
    <>
      <ViewerHeader />
      <main id="main" tabIndex={-1} className="outline-none">
        <div className="wrap pt-8 pb-8 lg:pt-14">
          <PaidCall {...(sandbox && { agentUrl: sandbox.agent.url })} />
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
