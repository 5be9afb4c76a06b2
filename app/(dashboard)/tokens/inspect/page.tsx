import { requireSession } from "@/app/_session/session.ts";
import { TokenInspector } from "@/components/tokens/token-inspector.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";

export const metadata = { title: "Inspect a token" };

export default async function InspectTokenPage() {
  await requireSession();
  return (
    <>
      <PageHeader title="Inspect a token">
        What an access token says, line by line. Works without the network.
      </PageHeader>
      <TokenInspector />
    </>
  );
}
