import type { OutputOf } from "@turnpike/payments/protocol";
import { canParseUrl } from "@turnpike/payments/protocol";
import { useEffect, useState } from "react";
import type { ConsoleOperations } from "@/lib/console/operations.ts";
import { readOperation } from "../../data/read-operation.ts";
import { causeText } from "../../forms/cause-text.ts";
import { FailureNotice } from "../../forms/failure-notice.tsx";
import { Button } from "../../ui/button.tsx";
import { NearLink } from "../../ui/links/near-link.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { Spinner } from "../../ui/spinner.tsx";
import { CopyButton } from "../../ui/values/copy-button.tsx";
import { MoneyStatus } from "../../ui/values/money-status.tsx";
import { absoluteTime, dateText } from "../../ui/values/time-text.ts";
import type { ShareActions } from "./share-dialog.tsx";
import { REVOKE_UNKNOWN, useRevokeLink } from "./use-revoke-link.ts";

type Shared = OutputOf<"listSharedRuns", ConsoleOperations>["items"][number];

type SharedLinksDialogProps = {
  origin: string;
  endSharedRun: ShareActions["endSharedRun"];
  onClose: () => void;
};

/** Every active link, newest first, to copy or revoke. */
export function SharedLinksDialog({ origin, endSharedRun, onClose }: SharedLinksDialogProps) {
  const { shared, setShared, failure } = useSharedLinks();
  const [isRevoked, setRevoked] = useState(false);
  const operation = useRevokeLink(endSharedRun);
  const revoke = ({ shareId }: Shared) =>
    operation.revoke(shareId, () => {
      setShared((known) => known?.filter((one) => one.shareId !== shareId) ?? null);
      setRevoked(true);
    });
  return (
    <Dialog
      onClose={onClose}
      title="Shared links"
      description="Anyone with a link can view its run. Links expire after seven days."
      className="max-w-160"
      footer={
        <Button data-safe onClick={onClose}>
          Done
        </Button>
      }
    >
      <FailureNotice
        title="Something went wrong"
        unknown={operation.failure ? REVOKE_UNKNOWN : null}
        of={operation.failure ? operation : { failure }}
      />
      <p role="status" className="sr-only">
        {isRevoked && "Link revoked."}
      </p>
      {shared === null && !failure && <Spinner className="size-5 border-2 text-accent" />}
      {shared?.length === 0 && (
        <p className="text-ink-2">No shared runs. Run a request, then choose Share.</p>
      )}
      {shared && shared.length > 0 && (
        <ul aria-label="Shared links" className="grid">
          {shared.map((one) => (
            <Row
              key={one.shareId}
              shared={one}
              origin={origin}
              isPending={operation.isPending}
              onRevoke={() => revoke(one)}
            />
          ))}
        </ul>
      )}
    </Dialog>
  );
}

function useSharedLinks() {
  const [shared, setShared] = useState<Shared[] | null>(null);
  const [failure, setFailure] = useState("");
  useEffect(() => {
    const abort = new AbortController();
    readOperation("listSharedRuns", {}, { signal: abort.signal }).then(
      ({ items }) => setShared(items),
      (cause) => {
        if (!abort.signal.aborted) setFailure(causeText(cause));
      },
    );
    return () => abort.abort();
  }, []);
  return { shared, setShared, failure };
}

type RowProps = { shared: Shared; origin: string; isPending: boolean; onRevoke: () => void };

function Row({ shared, origin, isPending, onRevoke }: RowProps) {
  const { shareId, method, url, money, createdAt, expiresAt } = shared;
  const path = canParseUrl(url) ? new URL(url).pathname : url;
  const name = `${method} ${path}`;
  const at = `${dateText(new Date(createdAt))} ${createdAt.slice(11, 16)}`;
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-t py-2.5">
      <div className="grid min-w-0 flex-[1_1_180px] gap-0.5">
        <NearLink href={`/s/${shareId}`} className="link truncate font-mono text-small">
          {name}
        </NearLink>
        <span className="text-ink-2 text-small">
          Shared <time dateTime={createdAt}>{at} UTC</time>, expires{" "}
          <time dateTime={expiresAt}>{absoluteTime(new Date(expiresAt))}</time>
        </span>
      </div>
      {money && <MoneyStatus status={money} />}
      <span className="ms-auto flex items-center gap-2">
        <CopyButton text={`${origin}/s/${shareId}`} label={`Copy link to ${name}, ${at}`} />
        <Button
          size="small"
          aria-disabled={isPending}
          aria-label={`Revoke link to ${name}, ${at}`}
          onClick={onRevoke}
        >
          Revoke link
        </Button>
      </span>
    </li>
  );
}
