import { requireSession } from "@/app/_session/session.ts";
import { TokenInspector } from "@/components/tokens/token-inspector.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { getRunning } from "@/lib/server/running.ts";

export const metadata = { title: "Inspect a token" };

export default async function InspectTokenPage() {
  await requireSession();
  const { env } = await getRunning();
  return (
    <>
      <PageHeader title="Inspect a token">
        Decode an access token field by field, without sending it anywhere.
      </PageHeader>
      <TokenInspector environment={env.environment} />
    </>
  );
}
