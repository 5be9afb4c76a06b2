import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { readOwnOrPublic } from "@/app/_session/operations.ts";
import { SharedRunView } from "@/components/playground/history/shared-run-view.tsx";
import type { Routed } from "@/components/search-params.ts";
import { dateText } from "@/components/ui/values/time-text.ts";
import { getRunning } from "@/lib/server/running.ts";
import { endSharedRun } from "../../playground/actions.ts";

// A shared run is visible only to people who have its link.
export const metadata: Metadata = {
  title: "Shared run",
  description: "A playground run that someone shared with you: each request, response and payment.",
  robots: { index: false, follow: false, noarchive: true },
  referrer: "no-referrer",
};

export default async function SharedRunPage({ params }: Routed<"shareId">) {
  const shareId = decodeURIComponent((await params).shareId);
  const shared = shareId.length <= 64 ? await readOwnOrPublic("getSharedRun", { shareId }) : null;
  if (!shared) notFound();
  const { env } = await getRunning();
  // The page says only that the run exists, so link previews do not fetch its content.
  return (
    <>
      <h1 className="text-h1">Shared run</h1>
      <p className="mt-2 max-w-160 text-ink-2">
        A playground run {shared.isYours ? "you shared" : "someone shared with you"} on{" "}
        <Day at={shared.createdAt} />. The link expires on <Day at={shared.expiresAt} />. Tokens and
        keys were removed. Turnpike has not verified the content.
      </p>
      <SharedRunView
        shareId={shareId}
        isYours={shared.isYours}
        service={{ origin: env.origin, environment: env.environment }}
        endSharedRun={endSharedRun}
      />
    </>
  );
}

const Day = ({ at }: { at: string }) => <time dateTime={at}>{dateText(new Date(at))}</time>;
