import { useQuery } from "@tanstack/react-query";
import type { RequestRecord, Role } from "@turnpike/payments/protocol";
import { QueryProvider } from "../data/query-provider.tsx";
import { readQuery } from "../data/read-operation.ts";
import { ButtonLink } from "../ui/button-link.tsx";
import { ErrorState } from "../ui/error-state.tsx";
import { SidePanel } from "../ui/overlays/side-panel.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import type { Names } from "./names.ts";
import { pollEach } from "./poll-each.ts";
import { MoneyCell } from "./request-cells.tsx";
import { RequestTrace } from "./request-trace.tsx";

export type RequestPanelProps = {
  requestId: string | undefined;
  /** The row it was opened from; a link into the panel has none. */
  record: RequestRecord | undefined;
  role: Role;
  names: Names;
  onClose: () => void;
  onPrevious?: (() => void) | undefined;
  onNext?: (() => void) | undefined;
};

/** One request next to its list, with steps to its neighbors. */
export function RequestPanel(props: RequestPanelProps) {
  return (
    <QueryProvider>
      <Panel {...props} />
    </QueryProvider>
  );
}

function Panel({ requestId, record: row, role, names, ...props }: RequestPanelProps) {
  const { onClose, onPrevious, onNext } = props;
  const { data, isError, isFetching, refetch } = useQuery({
    ...readQuery("getRequest", { agentRequestId: requestId ?? "" }),
    enabled: requestId !== undefined,
    placeholderData: row,
    refetchInterval: ({ state }) => pollEach(state),
  });
  const record = data ?? row;
  return (
    <SidePanel
      isOpen={requestId !== undefined}
      onClose={onClose}
      hasArrows
      onPrevious={onPrevious}
      onNext={onNext}
      title={record ? <PanelTitle record={record} /> : "Request"}
      footer={
        requestId && (
          <ButtonLink href={`/activity/${encodeURIComponent(requestId)}`}>Open trace</ButtonLink>
        )
      }
    >
      {record && <RequestTrace record={record} role={role} names={names} />}
      {!record && isError && (
        <ErrorState
          title="This request could not be loaded"
          onRetry={() => refetch()}
          isRetrying={isFetching}
        >
          Loading a request doesn’t charge credits.
        </ErrorState>
      )}
      {!record && !isError && (
        <div className="grid gap-3 p-5">
          <Skeleton className="w-40" />
          <Skeleton className="w-64" />
          <Skeleton className="w-52" />
        </div>
      )}
    </SidePanel>
  );
}

function PanelTitle({ record }: { record: RequestRecord }) {
  const { method, path, at } = record;
  return (
    <>
      {path && (
        <span className="me-2 font-mono font-normal text-mono">
          {method} {path}
        </span>
      )}
      {!path && <span className="me-2">Request</span>}
      <TimeAgo at={at} form="clock" className="me-2 font-normal text-ink-2" />
      <MoneyCell record={record} />
    </>
  );
}
