"use client";

import type { OutputOf } from "@turnpike/payments/protocol";
import { useEffect, useState } from "react";
import type { ConsoleOperations } from "@/lib/console/operations.ts";
import { readSharedRun } from "@/lib/playground/read-shared-run.ts";
import type { Run } from "@/lib/playground/run.ts";
import { readOperation } from "../../data/read-operation.ts";
import { causeText } from "../../forms/cause-text.ts";
import { FailureNotice } from "../../forms/failure-notice.tsx";
import { Button } from "../../ui/button.tsx";
import { ButtonLink } from "../../ui/button-link.tsx";
import { whenIdle } from "../../ui/later.ts";
import { Notice } from "../../ui/notice.tsx";
import { fetchInspectorAhead, InspectorPane } from "../inspector/inspector-pane.tsx";
import type { InspectorView } from "../inspector/inspector-view.ts";
import { decidingStep } from "../run/run-facts.ts";
import { TimelinePane } from "../timeline/timeline-pane.tsx";
import type { ShareActions } from "./share-dialog.tsx";
import { REVOKE_UNKNOWN, useRevokeLink } from "./use-revoke-link.ts";

type Service = { origin: string; environment: string };

type SharedRunViewProps = {
  shareId: string;
  isYours: boolean;
  service: Service;
  endSharedRun: ShareActions["endSharedRun"];
};

/** A shared run, read-only. It is fetched only when a visitor asks for it. */
export function SharedRunView({ shareId, isYours, service, endSharedRun }: SharedRunViewProps) {
  const [shared, setShared] = useState<OutputOf<"getSharedRun", ConsoleOperations> | null>(null);
  const [failure, setFailure] = useState("");
  const [isRevoked, setRevoked] = useState(false);
  const operation = useRevokeLink(endSharedRun);
  useEffect(() => whenIdle(fetchInspectorAhead), []);
  const show = () => {
    setFailure("");
    return readOperation("getSharedRun", { shareId }).then(setShared, (cause) =>
      setFailure(causeText(cause)),
    );
  };
  return (
    <>
      {!isRevoked && (
        <div className="flex flex-wrap items-center gap-2 py-4">
          {!shared && (
            <Button look="primary" className="max-sm:w-full" onClick={show}>
              Show run
            </Button>
          )}
          <ButtonLink href={`/playground?shared=${encodeURIComponent(shareId)}`}>
            Open in my playground
          </ButtonLink>
          {isYours && (
            <Button
              isPending={operation.isPending}
              onClick={() => operation.revoke(shareId, () => setRevoked(true))}
            >
              Revoke link
            </Button>
          )}
        </div>
      )}
      <div role="status">
        {isRevoked && (
          <Notice className="mt-4" tone="info" title="Link revoked">
            The run was deleted. The link no longer works.
          </Notice>
        )}
      </div>
      <FailureNotice title="The run can’t be shown" unknown={null} of={{ failure }} />
      <FailureNotice title="The link was not revoked" unknown={REVOKE_UNKNOWN} of={operation} />
      {shared && !isRevoked && <SharedPanes run={readSharedRun(shared.run)} service={service} />}
    </>
  );
}

function SharedPanes({ run, service }: { run: Run; service: Service }) {
  const [opened, setOpened] = useState(() => decidingStep(run));
  const [view, setView] = useState<InspectorView>("explain");
  const { input, startedAt } = run;
  return (
    <div
      data-testid="pg-shared"
      className="grid rounded-card border border-line bg-surface lg:grid-cols-[minmax(0,1fr)_minmax(0,420px)]"
    >
      <div className="min-w-0">
        <div className="border-line border-b px-4 py-3">
          <h2 className="wrap-anywhere font-mono text-mono">
            {input.method} {input.url}
          </h2>
          <p className="text-ink-2 text-note">
            Started <time dateTime={startedAt}>{startedAt.slice(0, 19).replace("T", " ")}</time> UTC
          </p>
        </div>
        <TimelinePane
          run={run}
          isRunning={false}
          progress=""
          failure=""
          opened={opened}
          view={view}
          onOpen={(id, next) => {
            setOpened(id);
            setView(next);
          }}
          action={null}
        />
      </div>
      <div className="min-w-0 border-line max-lg:border-t lg:border-s">
        <InspectorPane
          run={run}
          opened={opened}
          view={view}
          onView={setView}
          before={null}
          service={service}
          action={null}
        />
      </div>
    </div>
  );
}
