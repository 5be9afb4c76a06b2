"use client";

import { type OutputOf, PaymentsError } from "@turnpike/payments/protocol";
import { useEffect, useState } from "react";
import type { ConsoleOperations } from "@/lib/console/operations.ts";
import { readSharedRun } from "@/lib/playground/read-shared-run.ts";
import type { StepId } from "@/lib/playground/run.ts";
import { readOperation } from "../../data/read-operation.ts";
import { Button } from "../../ui/button.tsx";
import { ButtonLink } from "../../ui/button-link.tsx";
import { Notice } from "../../ui/notice.tsx";
import { whenIdle } from "../../ui/when-idle.ts";
import { fetchInspectorAhead, InspectorPane } from "../inspector/inspector-pane.tsx";
import type { InspectorView } from "../inspector/inspector-view.ts";
import { decidingStep } from "../run/run-facts.ts";
import { TimelinePane } from "../timeline/timeline-pane.tsx";
import type { ShareActions } from "./share-dialog.tsx";

type SharedRunProps = {
  shareId: string;
  isYours: boolean;
  service: { origin: string; environment: string };
  endSharedRun: ShareActions["endSharedRun"];
};

/** A run somebody shared: read-only, and fetched only when a person asks for it. */
export function SharedRun({ shareId, isYours, service, endSharedRun }: SharedRunProps) {
  const [shared, setShared] = useState<OutputOf<"getSharedRun", ConsoleOperations> | null>(null);
  const [fault, setFault] = useState("");
  const [isEnded, setEnded] = useState(false);
  const [chosen, setChosen] = useState<StepId | null>(null);
  const [view, setView] = useState<InspectorView>("explain");
  useEffect(() => whenIdle(fetchInspectorAhead), []);
  const show = () =>
    readOperation("getSharedRun", { shareId }).then(setShared, (cause) =>
      setFault(PaymentsError.is(cause) ? `${cause.message} ${cause.hint}` : String(cause)),
    );
  const end = async () => {
    const answer = await endSharedRun({ shareId }).catch(() => null);
    if (answer?.ok) return setEnded(true);
    setFault(answer ? answer.message : "The service could not be reached.");
  };
  const run = shared && readSharedRun(shared.run);
  const opened = chosen ?? (run ? decidingStep(run) : "ask");
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 py-4">
        {!run && !isEnded && (
          <Button look="primary" onClick={show}>
            Show run
          </Button>
        )}
        {!isEnded && (
          <ButtonLink href={`/playground?shared=${encodeURIComponent(shareId)}`}>
            Open in my playground
          </ButtonLink>
        )}
        {isYours && !isEnded && <Button onClick={() => void end()}>End link</Button>}
      </div>
      <div role="status">
        {isEnded && (
          <Notice tone="info" title="The link has ended.">
            Nobody can read this run any more, and nothing of it is kept.
          </Notice>
        )}
      </div>
      <div role="alert">
        {fault && (
          <Notice tone="refused" title="The run cannot be shown.">
            {fault}
          </Notice>
        )}
      </div>
      {run && !isEnded && (
        <div
          data-testid="pg-shared"
          className="grid rounded-card border border-line bg-surface lg:grid-cols-[minmax(0,1fr)_minmax(0,420px)]"
        >
          <div className="min-w-0">
            <div className="border-line border-b px-4 py-3">
              <h2 className="wrap-anywhere font-mono text-mono">
                {run.input.method} {run.input.url}
              </h2>
              <p className="text-ink-2 text-note">
                Run at{" "}
                <time dateTime={run.startedAt}>{run.startedAt.slice(0, 19).replace("T", " ")}</time>{" "}
                UTC
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
                setChosen(id);
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
      )}
    </>
  );
}
