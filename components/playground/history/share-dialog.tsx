"use client";

import type { InputOf, OutputOf } from "@turnpike/payments/protocol";
import Link from "next/link";
import { useEffect, useState } from "react";
import type { ConsoleOperations } from "@/lib/console/operations.ts";
import { redactForShare } from "@/lib/playground/redact.ts";
import type { Run } from "@/lib/playground/run.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Dialog, type Effect, Effects } from "../../ui/overlays/dialog.tsx";
import { Spinner } from "../../ui/spinner.tsx";
import { CopyButton } from "../../ui/values/copy-button.tsx";
import type { Changed } from "../run/session-service.ts";

/** What sharing changes: server actions of the page. */
export type ShareActions = {
  shareRun(
    input: InputOf<"shareRun", ConsoleOperations>,
  ): Promise<Changed<OutputOf<"shareRun", ConsoleOperations>>>;
  endSharedRun(input: InputOf<"endSharedRun", ConsoleOperations>): Promise<Changed<unknown>>;
};

type ShareDialogProps = {
  run: Run;
  origin: string;
  actions: ShareActions;
  onClose: () => void;
};

type Shared = OutputOf<"shareRun", ConsoleOperations>;

/** Opens the question whether to share. */
export function ShareButton(props: Omit<ShareDialogProps, "onClose">) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Share</Button>
      {isOpen && <ShareDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

/** What would leave the page and what not, then the link. */
function ShareDialog({ run, origin, actions, onClose }: ShareDialogProps) {
  const preview = usePreview(run);
  const [shared, setShared] = useState<Shared | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState("");
  const change = async <T,>(work: () => Promise<Changed<T>>): Promise<T | null> => {
    setBusy(true);
    setFault("");
    const answer = await work().catch(() => null);
    setBusy(false);
    if (answer?.ok) return answer.data;
    setFault(answer ? `${answer.message} ${answer.hint}` : "The service could not be reached.");
    return null;
  };
  const share = async () => {
    if (!preview) return;
    setShared(await change(() => actions.shareRun({ run: JSON.stringify(preview.run) })));
  };
  const end = async () => {
    const { shareId } = shared as Shared;
    if (await change(() => actions.endSharedRun({ shareId }))) onClose();
  };
  const link = shared && `${origin}/s/${shared.shareId}`;
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={shared ? "The run is shared" : "Share this run"}
      description={
        shared
          ? `Whoever has the link can read it until ${shared.expiresAt.slice(0, 10)}.`
          : "Whoever has the link can read the run for seven days. You can end it earlier."
      }
      footer={
        shared ? (
          <>
            <Button aria-disabled={isBusy} onClick={() => !isBusy && void end()}>
              End link
            </Button>
            <Button look="primary" data-safe onClick={onClose}>
              Done
            </Button>
          </>
        ) : (
          <>
            <Button data-safe onClick={onClose}>
              Do not share
            </Button>
            <Button
              look="primary"
              aria-disabled={isBusy || !preview}
              onClick={() => !isBusy && void share()}
            >
              Create link
            </Button>
          </>
        )
      }
    >
      {fault && (
        <Notice tone="refused" title="That did not work.">
          {fault}
        </Notice>
      )}
      {link ? (
        <p className="flex items-center gap-2">
          <Link
            href={`/s/${shared.shareId}`}
            className="link wrap-anywhere min-w-0 font-mono text-small"
          >
            {link}
          </Link>
          <CopyButton text={link} label="Copy link" />
        </p>
      ) : !preview ? (
        <Spinner className="size-5 border-2 text-accent" />
      ) : (
        <div data-testid="pg-share-preview" data-removed={preview.removed.length}>
          <Effects effects={effectsOf(preview.removed)} />
        </div>
      )}
    </Dialog>
  );
}

/** What would be shared. Looking through long bodies takes time, so the dialog is on the screen first. */
function usePreview(run: Run) {
  const [preview, setPreview] = useState<ReturnType<typeof redactForShare> | null>(null);
  useEffect(() => {
    let timer = 0;
    const frame = requestAnimationFrame(() => {
      timer = window.setTimeout(() => setPreview(redactForShare(run)));
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, [run]);
  return preview;
}

function effectsOf(removed: Shared["removed"]): Effect[] {
  const byPlace = new Map<string, Shared["removed"]>();
  for (const part of removed) byPlace.set(part.where, [...(byPlace.get(part.where) ?? []), part]);
  return [
    ...[...byPlace].map(
      ([where, parts]): Effect => ({
        icon: "minus",
        title: `Removed from the ${where}`,
        detail: parts.map(({ what }) => what).join(", "),
      }),
    ),
    ...(removed.length === 0
      ? [{ icon: "tick", title: "Nothing to remove was found" } satisfies Effect]
      : []),
    {
      icon: "info",
      title: "What stays",
      detail:
        "The address, headers, bodies, plan, amounts and account addresses. Read the bodies first: not every secret can be told by its look.",
    },
  ];
}
