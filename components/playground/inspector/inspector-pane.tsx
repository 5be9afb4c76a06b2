import { useState } from "react";
import type { Run, StepId } from "@/lib/playground/run.ts";
import { ErrorState } from "../../ui/error-state.tsx";
import { createLater } from "../../ui/later.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import type { InspectorTabsProps } from "./inspector-tabs.tsx";

type InspectorPaneProps = Omit<InspectorTabsProps, "run" | "step"> & {
  run: Run | null;
  opened: StepId;
};

const InspectorTabs = createLater(() => import("./inspector-tabs.tsx"), "InspectorTabs");

/** Prefetches the tabs before there is a run to show. */
export const fetchInspectorAhead = InspectorTabs.ahead;

/** One step of a run, from its meaning down to its bytes. */
export function InspectorPane({ run, opened, ...props }: InspectorPaneProps) {
  /** The run whose tabs could not be loaded; the next run tries again. */
  const [failedAt, setFailedAt] = useState<string | null>(null);
  const step = run?.steps.find(({ id }) => id === opened);
  const isFailed = run !== null && run.startedAt === failedAt;
  const Tabs = InspectorTabs.usePart(step !== undefined && !isFailed, () =>
    setFailedAt(run?.startedAt ?? null),
  );
  if (!run || !step) {
    return (
      <section aria-label="Inspector" className="p-4 text-ink-2 text-note">
        Run a request to see what each step means, which rule applies and what to do next.
      </section>
    );
  }
  return (
    <section aria-label="Inspector" className="min-w-0 px-4 pb-8">
      {Tabs && <Tabs {...props} run={run} step={step} />}
      {!Tabs && !isFailed && <TabsPlaceholder />}
      {!Tabs && isFailed && (
        <ErrorState title="The step could not be loaded" onRetry={() => setFailedAt(null)}>
          The run is not affected. Check your connection.
        </ErrorState>
      )}
    </section>
  );
}

function TabsPlaceholder() {
  return (
    <div aria-busy="true">
      <p className="flex h-9.5 items-center gap-5 border-line border-b max-sm:h-(--hit)">
        <Skeleton className="w-12" />
        <Skeleton className="w-14" />
        <Skeleton className="w-10" />
        <Skeleton className="w-14" />
      </p>
      <div className="grid gap-4 pt-5">
        <Skeleton className="w-64" />
        <Skeleton className="w-72" />
        <Skeleton className="w-52" />
      </div>
    </div>
  );
}
