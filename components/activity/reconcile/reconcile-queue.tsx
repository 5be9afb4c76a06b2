"use client";

import { useQuery } from "@tanstack/react-query";
import type { OutputOf, UnsettledRequest } from "@turnpike/payments/protocol";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { plural, shownOf } from "@/lib/text/plural.ts";
import { readOperation, readQuery } from "../../data/read-operation.ts";
import { useEventRefresh } from "../../data/use-event-refresh.ts";
import type { OperationActions } from "../../forms/action-answer.ts";
import { causeText } from "../../forms/cause-text.ts";
import { FailureNotice } from "../../forms/failure-notice.tsx";
import { useOperationForm } from "../../forms/use-operation-form.ts";
import { Button } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { TextField } from "../../ui/fields/text-field.tsx";
import { ConfirmDialog } from "../../ui/overlays/dialog.tsx";
import { toast } from "../../ui/overlays/toast-store.ts";
import { MONEY_STATUSES } from "../../ui/values/money-status.tsx";
import type { Names } from "../names.ts";
import { RECONCILE_PAGE } from "../page-sizes.ts";
import { type QueueSearch, queuePages } from "./queue-pages.ts";
import { UNSETTLED_COLUMNS } from "./unsettled-columns.tsx";

export type ReconcileQueueProps = OperationActions<"settleRequest" | "writeOffRequest"> & {
  search: QueueSearch;
  first: OutputOf<"listUnsettledRequests">;
  names: Names;
};

/** Delivered requests without a confirmed payment, each with what can be done about it. */
export function ReconcileQueue(props: ReconcileQueueProps) {
  const { search, first, names, settleRequest, writeOffRequest } = props;
  const { cursor } = search;
  const [dialog, setDialog] = useState<{ of: "settle" | "writeOff"; request: UnsettledRequest }>();
  const { data, error, refetch, isFetching } = useQuery({
    ...readQuery("listUnsettledRequests", { limit: RECONCILE_PAGE, ...(cursor && { cursor }) }),
    initialData: first,
    refetchInterval: useEventRefresh(),
  });
  const { checkedId, check, outcome, setOutcome } = useCheck(refetch);
  const finish = (text: string) => {
    setDialog(undefined);
    setOutcome(text);
    toast(text);
    void refetch();
  };
  const rows = data.items.map((request) => ({
    ...request,
    names,
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
      <p role="status" className="text-note not-empty:mb-3">
        {outcome}
      </p>
      <div className="not-empty:mb-3">
        <FailureNotice
          title="The list could not be updated."
          unknown={null}
          // Gone while it is read again, so that a second failure is read out too.
          of={{ failure: error && !isFetching ? causeText(error) : undefined }}
        />
      </div>
      <DataTable
        caption="Unsettled requests"
        columns={UNSETTLED_COLUMNS}
        rows={rows}
        rowId={({ agentRequestId, at }) => `${agentRequestId}/${at}`}
        empty={
          <Empty
            kind="filtered"
            title={data.total > 0 ? "No more requests on this page" : "Nothing to reconcile"}
          >
            Unsettled requests appear here until you settle them or write them off.
          </Empty>
        }
        foot={data.total > rows.length && shownOf(rows.length, data.total, "request")}
        pages={{ label: "unsettled requests", ...queuePages(search, data.nextCursor) }}
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

type DialogProps = {
  request: UnsettledRequest;
  onClose: () => void;
  onDone: (text: string) => void;
};
type SettleDialogProps = DialogProps & OperationActions<"settleRequest">;

function SettleDialog({ request, settleRequest, onClose, onDone }: SettleDialogProps) {
  const { agentRequestId, creditsDue } = request;
  const form = useOperationForm({
    defaultValues: {},
    run: () => settleRequest({ agentRequestId, ...(creditsDue && { maxAmount: creditsDue }) }),
    onDone: (settlement) => {
      if (settlement.success) {
        return onDone(`Settled. ${plural(BigInt(settlement.creditsRedeemed), "credit")} charged.`);
      }
      const reason = settlement.errorMessage ?? settlement.errorReason;
      form.setError("root", {
        message: `Payment was declined: ${reason} The service reports no credits used.`,
      });
    },
  });
  return (
    <ConfirmDialog
      onClose={onClose}
      title="Settle this request?"
      verb={`Settle up to ${plural(BigInt(creditsDue ?? "0"), "credit")}`}
      safe="Cancel"
      look="primary"
      isPending={form.isPending}
      onConfirm={form.submit}
      effects={[
        {
          icon: "check",
          title: "The credits are charged once",
          detail:
            "Both use the same request ID: if the gate settles first, nothing more is charged.",
        },
      ]}
    >
      {form.failure && <p role="alert">{form.failure}</p>}
    </ConfirmDialog>
  );
}

type WriteOffDialogProps = DialogProps & OperationActions<"writeOffRequest">;

const MOST = 200;

function WriteOffDialog({ request, writeOffRequest, onClose, onDone }: WriteOffDialogProps) {
  const { agentRequestId, creditsDue } = request;
  const form = useOperationForm({
    defaultValues: { note: "" },
    run: ({ note }) =>
      writeOffRequest({ agentRequestId, ...(note.trim() && { note: note.trim() }) }),
    onDone: () => onDone("Written off. No credits were charged."),
  });
  return (
    <ConfirmDialog
      onClose={onClose}
      title="Write off this request?"
      verb="Write off"
      safe="Keep it"
      isPending={form.isPending}
      onConfirm={form.submit}
      effects={[
        {
          icon: "minus",
          title:
            creditsDue === undefined
              ? "You won’t be paid for this request"
              : `You won’t be paid up to ${plural(BigInt(creditsDue), "credit")} for this request`,
          detail: "Reserved credits are released to the subscriber. You can’t settle it later.",
        },
      ]}
    >
      <TextField
        label="Note"
        isOptional
        hint="Why you wrote it off. Shown with the request."
        error={form.formState.errors.note?.message}
        maxLength={MOST}
        {...form.register("note")}
      />
      <FailureNotice
        title="The request was not written off."
        unknown="Try again. You can repeat this safely."
        of={form}
      />
    </ConfirmDialog>
  );
}
