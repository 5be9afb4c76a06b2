"use client";

import { useQuery } from "@tanstack/react-query";
import type {
  InputOf,
  OutputOf,
  RequestRecord,
  Settlement,
  UnsettledRequest,
} from "@turnpike/payments/protocol";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { readOperation, readQuery } from "../../data/read-operation.ts";
import { useEventRefresh } from "../../data/use-event-refresh.ts";
import type { ActionAnswer } from "../../forms/action-answer.ts";
import { Button } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { toast } from "../../ui/overlays/toast-store.ts";
import { MONEY_STATUSES } from "../../ui/values/money-status.tsx";
import { groupDigits } from "../../ui/values/money-text.ts";
import type { Names } from "../names.ts";
import { RECONCILE_PAGE } from "../page-sizes.ts";
import { SettleDialog } from "./settle-dialog.tsx";
import { UNSETTLED_COLUMNS } from "./unsettled-columns.tsx";
import { WriteOffDialog } from "./write-off-dialog.tsx";

export type ReconcileQueueProps = {
  first: OutputOf<"listUnsettledRequests">;
  names: Names;
  now: string;
  settleRequest: (input: InputOf<"settleRequest">) => Promise<ActionAnswer<Settlement>>;
  writeOffRequest: (input: InputOf<"writeOffRequest">) => Promise<ActionAnswer<RequestRecord>>;
};

/** Delivered requests without a confirmed payment, each with what can be done about it. */
export function ReconcileQueue(props: ReconcileQueueProps) {
  const { first, names, now, settleRequest, writeOffRequest } = props;
  const router = useRouter();
  const [dialog, setDialog] = useState<{ of: "settle" | "writeOff"; request: UnsettledRequest }>();
  const { data, refetch, isFetching } = useQuery({
    ...readQuery("listUnsettledRequests", { limit: RECONCILE_PAGE }),
    initialData: first,
    refetchInterval: useEventRefresh(),
  });
  const { checkedId, check, outcome, setOutcome } = useCheck(refetch);
  const finish = (text: string) => {
    setDialog(undefined);
    setOutcome(text);
    toast(text);
    void refetch();
    router.refresh();
  };
  const rows = data.items.map((request) => ({
    ...request,
    names,
    now,
    isBusy: checkedId === request.agentRequestId,
    onCheck: () => check(request),
    onSettle: () => setDialog({ of: "settle", request }),
    onWriteOff: () => setDialog({ of: "writeOff", request }),
  }));
  const dialogProps = dialog && {
    request: dialog.request,
    onClose: () => setDialog(undefined),
    onDone: finish,
  };
  return (
    <>
      <div className="mb-3 flex min-h-(--control) flex-wrap items-center gap-3">
        <p className="max-w-[68ch] text-ink-2">
          Your agent responded to these requests, but payment is not confirmed.
        </p>
        {rows.length > 0 && (
          <Button className="ms-auto" onClick={() => refetch()} isPending={isFetching}>
            Check all
          </Button>
        )}
      </div>
      <p role="status" className="mb-2 min-h-5 text-note">
        {outcome}
      </p>
      <DataTable
        caption="Unsettled requests"
        columns={UNSETTLED_COLUMNS}
        rows={rows}
        rowId={({ agentRequestId, at }) => `${agentRequestId}/${at}`}
        empty={
          <Empty kind="filtered" title="Nothing to reconcile">
            Unsettled requests appear here until you settle them or write them off.
          </Empty>
        }
        foot={
          data.total > rows.length &&
          `The newest ${rows.length} of ${groupDigits(data.total)} requests`
        }
      />
      {dialogProps && dialog.of === "settle" && (
        <SettleDialog {...dialogProps} settleRequest={settleRequest} />
      )}
      {dialogProps && dialog.of === "writeOff" && (
        <WriteOffDialog {...dialogProps} writeOffRequest={writeOffRequest} />
      )}
    </>
  );
}

/** Reads one request again and says what became of it. */
function useCheck(refetch: () => Promise<unknown>) {
  const router = useRouter();
  const [checkedId, setCheckedId] = useState<string>();
  const [outcome, setOutcome] = useState("");
  const check = async ({ agentRequestId }: UnsettledRequest) => {
    setCheckedId(agentRequestId);
    try {
      const { moneyStatus } = await readOperation("getRequest", { agentRequestId });
      const isOpen = moneyStatus === "unknown" || moneyStatus === "delivered-unsettled";
      const word = MONEY_STATUSES[moneyStatus].word.toLowerCase();
      setOutcome(isOpen ? `Checked: still ${word}.` : `Checked: ${word}.`);
      if (!isOpen) router.refresh();
      await refetch();
    } catch {
      setOutcome("Couldn’t check: the service can’t be reached. Nothing was changed.");
    }
    setCheckedId(undefined);
  };
  return { checkedId, check, outcome, setOutcome };
}
