"use client";

import { type OutputOf, PaymentsError } from "@turnpike/payments/protocol";
import Link from "next/link";
import { useEffect, useState } from "react";
import type { ConsoleOperations } from "@/lib/console/operations.ts";
import { readOperation } from "../../data/read-operation.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { Spinner } from "../../ui/spinner.tsx";
import { CopyButton } from "../../ui/values/copy-button.tsx";
import { MoneyStatus } from "../../ui/values/money-status.tsx";
import type { ShareActions } from "./share-dialog.tsx";

type SharedLinksProps = { origin: string; endSharedRun: ShareActions["endSharedRun"] };
type Shared = OutputOf<"listSharedRuns", ConsoleOperations>["items"][number];

/** Opens the list of runs the person shares. */
export function SharedLinksButton(props: SharedLinksProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Your links</Button>
      {isOpen && <SharedLinksDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

/** Every link that still leads somewhere, newest first; each can be ended here. */
function SharedLinksDialog({
  origin,
  endSharedRun,
  onClose,
}: SharedLinksProps & { onClose: () => void }) {
  const [shared, setShared] = useState<Shared[] | null>(null);
  const [ending, setEnding] = useState<string | null>(null);
  const [said, setSaid] = useState("");
  const [fault, setFault] = useState("");
  useEffect(() => {
    const abort = new AbortController();
    readOperation("listSharedRuns", {}, abort.signal).then(
      ({ items }) => setShared(items),
      (cause) => {
        if (abort.signal.aborted) return;
        setShared([]);
        setFault(PaymentsError.is(cause) ? `${cause.message} ${cause.hint}` : String(cause));
      },
    );
    return () => abort.abort();
  }, []);
  const end = async ({ shareId }: Shared) => {
    setEnding(shareId);
    setFault("");
    const answer = await endSharedRun({ shareId }).catch(() => null);
    setEnding(null);
    // A link that is gone already has ended as well.
    if (answer?.ok || answer?.code === "not_found") {
      setShared((known) => (known ?? []).filter((one) => one.shareId !== shareId));
      return setSaid("The link has ended.");
    }
    setFault(answer ? `${answer.message} ${answer.hint}` : "The service could not be reached.");
  };
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title="Your shared links"
      description="Whoever has one of them can read its run. Each ends by itself after seven days."
      className="max-w-160"
      footer={
        <Button data-safe onClick={onClose}>
          Done
        </Button>
      }
    >
      {fault && (
        <Notice tone="refused" title="That did not work.">
          {fault}
        </Notice>
      )}
      <p role="status" className="sr-only">
        {said}
      </p>
      {shared === null && <Spinner className="size-5 border-2 text-accent" />}
      {shared?.length === 0 && !fault && (
        <p className="text-ink-2">You share no run. Run a request, then choose Share.</p>
      )}
      {shared && shared.length > 0 && (
        <ul aria-label="Shared links" className="grid">
          {shared.map((one) => (
            <Row
              key={one.shareId}
              shared={one}
              origin={origin}
              isEnding={ending === one.shareId}
              onEnd={() => !ending && void end(one)}
            />
          ))}
        </ul>
      )}
    </Dialog>
  );
}

type RowProps = { shared: Shared; origin: string; isEnding: boolean; onEnd: () => void };

function Row({ shared, origin, isEnding, onEnd }: RowProps) {
  const { shareId, method, url, money, createdAt, expiresAt } = shared;
  const path = URL.canParse(url) ? new URL(url).pathname : url;
  const name = `${method} ${path}`;
  const at = createdAt.slice(0, 16).replace("T", " ");
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-t py-2.5">
      <div className="grid min-w-0 flex-[1_1_180px] gap-0.5">
        <Link href={`/s/${shareId}`} className="link truncate font-mono text-small">
          {name}
        </Link>
        <span className="text-ink-2 text-small">
          Shared <time dateTime={createdAt}>{at}</time>, ends{" "}
          <time dateTime={expiresAt}>{expiresAt.slice(0, 10)}</time>
        </span>
      </div>
      {money && <MoneyStatus status={money} />}
      <span className="ms-auto flex items-center gap-2">
        <CopyButton text={`${origin}/s/${shareId}`} label={`Copy the link of ${name}, ${at}`} />
        <Button
          size="small"
          aria-disabled={isEnding}
          aria-label={`End the link of ${name}, ${at}`}
          onClick={onEnd}
        >
          End link
        </Button>
      </span>
    </li>
  );
}
