import type { OutputOf } from "@turnpike/payments/protocol";
import { useEffect, useState } from "react";
import type { ConsoleOperations } from "@/lib/console/operations.ts";
import { redactForShare } from "@/lib/playground/redact-for-share.ts";
import type { Run } from "@/lib/playground/run.ts";
import type { OperationAction } from "../../forms/action-answer.ts";
import { FailureNotice } from "../../forms/failure-notice.tsx";
import { useOperation } from "../../forms/use-operation.ts";
import { Button } from "../../ui/button.tsx";
import { NearLink } from "../../ui/links/near-link.tsx";
import { Dialog, type Effect, Effects } from "../../ui/overlays/dialog.tsx";
import { Spinner } from "../../ui/spinner.tsx";
import { CopyButton } from "../../ui/values/copy-button.tsx";
import { absoluteTime } from "../../ui/values/time-text.ts";
import type { EndSharedRun } from "./revoke-link.ts";
import { REVOKE_UNKNOWN, useRevokeLink } from "./use-revoke-link.ts";

export type ShareActions = {
  shareRun: OperationAction<"shareRun">;
  endSharedRun: EndSharedRun;
};

type Shared = OutputOf<"shareRun", ConsoleOperations>;

type ShareDialogsProps = {
  run: Run;
  origin: string;
  actions: ShareActions;
  onClose: () => void;
};

export function ShareDialogs(props: ShareDialogsProps) {
  const [shared, setShared] = useState<Shared | null>(null);
  return shared ? (
    <LinkDialog {...props} shared={shared} />
  ) : (
    <ShareDialog {...props} onShared={setShared} />
  );
}

type ShareDialogProps = ShareDialogsProps & { onShared: (shared: Shared) => void };

/** Shows what will be shared and what was removed, before anything leaves the page. */
function ShareDialog({ run, actions, onShared, onClose }: ShareDialogProps) {
  const preview = usePreview(run);
  const operation = useOperation();
  const share = () =>
    preview &&
    operation.run(() => actions.shareRun({ run: JSON.stringify(preview.run) }), onShared);
  return (
    <Dialog
      onClose={onClose}
      title="Share this run"
      description="Anyone with the link can view the run for seven days. You can revoke the link at any time."
      footer={
        <>
          <Button data-safe onClick={onClose}>
            Cancel
          </Button>
          <Button
            look="primary"
            isPending={operation.isPending}
            aria-disabled={!preview}
            onClick={() => void share()}
          >
            Create link
          </Button>
        </>
      }
    >
      <FailureNotice title="The run was not shared" unknown="See Shared links." of={operation} />
      {preview ? (
        <div data-testid="pg-share-preview" data-removed={preview.removed.length}>
          <Effects effects={effectsOf(preview.removed)} />
        </div>
      ) : (
        <Spinner className="size-5 border-2 text-accent" />
      )}
    </Dialog>
  );
}

type LinkDialogProps = ShareDialogsProps & { shared: Shared };

function LinkDialog({ shared, origin, actions, onClose }: LinkDialogProps) {
  const { shareId, expiresAt } = shared;
  const link = `${origin}/s/${shareId}`;
  const operation = useRevokeLink(actions.endSharedRun);
  return (
    <Dialog
      onClose={onClose}
      title="Run shared"
      description={`Anyone with the link can view the run until ${absoluteTime(new Date(expiresAt))}.`}
      footer={
        <>
          <Button
            isPending={operation.isPending}
            onClick={() => operation.revoke(shareId, onClose)}
          >
            Revoke link
          </Button>
          <Button look="primary" data-safe onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      <FailureNotice title="The link was not revoked" unknown={REVOKE_UNKNOWN} of={operation} />
      <p className="flex items-center gap-2">
        <NearLink
          href={`/s/${shareId}`}
          className="link wrap-anywhere min-w-0 font-mono text-small"
        >
          {link}
        </NearLink>
        <CopyButton text={link} label="Copy link" />
      </p>
    </Dialog>
  );
}

/** What would be shared. Redacting long bodies takes time, so the dialog is painted first. */
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
  const places = [...new Set(removed.map(({ where }) => where))];
  const effects = places.map((place): Effect => {
    const parts = removed.filter(({ where }) => where === place).map(({ what }) => what);
    return {
      icon: "minus",
      title: `Removed from the ${place === "answer" ? "response" : place}`,
      detail: parts.join(", "),
    };
  });
  if (removed.length === 0) effects.push({ icon: "tick", title: "No secrets found" });
  const detail =
    "The URL, headers, bodies, plan, amounts and account addresses. Read the bodies before you share: not every secret can be detected.";
  return [...effects, { icon: "info", title: "Shared", detail }];
}
