"use client";

import { useQuery } from "@tanstack/react-query";
import type {
  OutputOf,
  RequestRecord,
  Settlement,
  UnsettledRequest,
} from "@turnpike/payments/protocol";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { readOperation, readQuery } from "../data/read-operation.ts";
import { Button } from "../ui/button.tsx";
import { DataTable } from "../ui/data/data-table.tsx";
import { Empty } from "../ui/empty.tsx";
import { ConfirmDialog } from "../ui/overlays/dialog.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { MONEY_STATUSES } from "../ui/values/money-status.tsx";
import { groupDigits } from "../ui/values/money-text.ts";
import type { Names } from "./names.ts";
import { RECONCILE_PAGE } from "./page-sizes.ts";
import { UNSETTLED_COLUMNS } from "./unsettled-columns.tsx";
import { WriteOffDialog } from "./write-off-dialog.tsx";

const CHECK_EACH_MS = 15_000;

export type Changed<T> =
  | { ok: true; data: T }
  | { ok: false; code: string; message: string; hint: string };

export type ReconcileQueueProps = {
  first: OutputOf<"listUnsettledRequests">;
  names: Names;
  now: string;
  settleRequest: (input: {
    agentRequestId: string;
    maxAmount?: string;
  }) => Promise<Changed<Settlement>>;
  writeOffRequest: (input: {
    agentRequestId: string;
    note?: string;
  }) => Promise<Changed<RequestRecord>>;
};

/** Calls that were delivered and not paid, oldest harm first, each with its way out. */
export function ReconcileQueue(props: ReconcileQueueProps) {
  const { first, names, now, settleRequest, writeOffRequest } = props;
  const router = useRouter();
  const [asked, setAsked] = useState<{ verb: "settle" | "writeOff"; request: UnsettledRequest }>();
  const [busy, setBusy] = useState<string>();
  const [isPending, setPending] = useState(false);
  const [said, setSaid] = useState("");
  const [fault, setFault] = useState("");
  const { data, refetch, isFetching } = useQuery({
    ...readQuery("listUnsettledRequests", { limit: RECONCILE_PAGE }),
    initialData: first,
    refetchInterval: CHECK_EACH_MS,
  });

  const done = (text: string) => {
    setAsked(undefined);
    setFault("");
    setSaid(text);
    toast(text);
    void refetch();
    router.refresh();
  };
  const check = async ({ agentRequestId }: UnsettledRequest) => {
    setBusy(agentRequestId);
    try {
      const record = await readOperation("getRequest", { agentRequestId });
      const { word } = MONEY_STATUSES[record.moneyStatus];
      const isOpen = ["unknown", "delivered-unsettled"].includes(record.moneyStatus);
      setSaid(isOpen ? `Checked: still ${word.toLowerCase()}.` : `Checked: ${word.toLowerCase()}.`);
      if (!isOpen) router.refresh();
      await refetch();
    } catch {
      setSaid("It could not be checked: the service cannot be reached. Nothing was changed.");
    }
    setBusy(undefined);
  };
  const settle = async ({ agentRequestId, creditsDue }: UnsettledRequest) => {
    setPending(true);
    const answer = await settleRequest({
      agentRequestId,
      ...(creditsDue && { maxAmount: creditsDue }),
    });
    setPending(false);
    if (!answer.ok) return setFault(`${answer.message} ${answer.hint}`);
    if (!answer.data.success) {
      const reason = answer.data.errorMessage ?? answer.data.errorReason;
      return setFault(`Payment was refused: ${reason} The service reports no credits used.`);
    }
    const { creditsRedeemed } = answer.data;
    done(
      `Settled. ${groupDigits(creditsRedeemed)} ${creditsRedeemed === "1" ? "credit" : "credits"} taken.`,
    );
  };
  const writeOff = async ({ agentRequestId }: UnsettledRequest, note: string) => {
    setPending(true);
    const answer = await writeOffRequest({ agentRequestId, ...(note && { note }) });
    setPending(false);
    if (!answer.ok) return setFault(`${answer.message} ${answer.hint}`);
    done("Written off. No credits were taken.");
  };
  const open = (verb: "settle" | "writeOff", request: UnsettledRequest) => () => {
    setFault("");
    setAsked({ verb, request });
  };
  const rows = data.items.map((request) => ({
    ...request,
    names,
    now,
    isBusy: busy === request.agentRequestId,
    onCheck: () => check(request),
    onSettle: open("settle", request),
    onWriteOff: open("writeOff", request),
  }));
  return (
    <>
      <div className="mb-3 flex min-h-(--control) flex-wrap items-center gap-3">
        <p className="max-w-[68ch] text-ink-2">
          The agent answered these calls and the service has no settlement of them.
        </p>
        {rows.length > 0 && (
          <Button className="ms-auto" onClick={() => refetch()} isPending={isFetching}>
            Check all
          </Button>
        )}
      </div>
      <p role="status" className="mb-2 min-h-5 text-note">
        {said}
      </p>
      <DataTable
        caption="Calls that are not settled"
        columns={UNSETTLED_COLUMNS}
        rows={rows}
        rowId={({ agentRequestId, at }) => `${agentRequestId}/${at}`}
        empty={
          <Empty kind="filtered" title="Nothing to reconcile">
            Calls that were answered and not paid stand here until they are settled or written off.
          </Empty>
        }
        foot={
          data.total > rows.length &&
          `The newest ${rows.length} of ${groupDigits(data.total)} calls`
        }
      />
      {asked?.verb === "settle" && (
        <ConfirmDialog
          isOpen
          onOpenChange={() => setAsked(undefined)}
          title="Settle this call?"
          verb={`Settle, up to ${groupDigits(asked.request.creditsDue ?? "0")} ${asked.request.creditsDue === "1" ? "credit" : "credits"}`}
          safe="Leave it"
          look="primary"
          isPending={isPending}
          onConfirm={() => settle(asked.request)}
          effects={[
            {
              icon: "check",
              title: "The credits are taken once",
              detail:
                "Under the same request id: if the gate settles it first, nothing is taken here.",
            },
          ]}
        >
          {fault && <p role="alert">{fault}</p>}
        </ConfirmDialog>
      )}
      {asked?.verb === "writeOff" && (
        <WriteOffDialog
          request={asked.request}
          isPending={isPending}
          fault={fault}
          onClose={() => setAsked(undefined)}
          onConfirm={(note) => writeOff(asked.request, note)}
        />
      )}
    </>
  );
}
