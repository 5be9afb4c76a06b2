import type { RequestRecord, Role } from "@turnpike/payments/protocol";
import type { ReactNode } from "react";
import { StepMark, type TimelineStatus } from "../../ui/data/step-timeline.tsx";
import { NearLink } from "../../ui/links/near-link.tsx";
import { absoluteTime } from "../../ui/values/time-text.ts";
import { Transaction } from "../../ui/values/transaction.tsx";
import { chargeText, isTransfer } from "../charge-text.ts";

type Piece = readonly [name: string, TimelineStatus, text: ReactNode, link?: [string, string]];

/** What proves a request, piece by piece, with where to verify it; what does not exist yet says so. */
export function EvidenceList({ record, role }: { record: RequestRecord; role: Role }) {
  return (
    <ul className="grid text-note">
      {piecesOf(record, role).map(([name, status, text, link]) => (
        <li
          key={name}
          className="grid grid-cols-[20px_6.5rem_minmax(0,1fr)_auto] items-center gap-x-2 border-line py-2 not-last:border-b max-sm:grid-cols-[20px_minmax(0,1fr)_auto]"
        >
          <StepMark status={status} />
          <span className="font-medium">{name}</span>
          <span className="wrap-anywhere min-w-0 text-ink-2 max-sm:col-span-2 max-sm:col-start-2 max-sm:row-start-2">
            {text}
          </span>
          {link && (
            <NearLink href={link[1]} className="link inline-flex min-h-6 items-center">
              {link[0]}
            </NearLink>
          )}
        </li>
      ))}
    </ul>
  );
}

const CHAIN_MARKS: Partial<Record<RequestRecord["chainStatus"], TimelineStatus>> = {
  final: "ok",
  failed: "error",
  none: "skipped",
};

const CHAIN_WORDS: Record<RequestRecord["chainStatus"], string> = {
  none: "not on chain",
  pending: "not sent yet",
  submitted: "sent",
  included: "included in a block",
  final: "final",
  failed: "failed",
};

function piecesOf(record: RequestRecord, role: Role): Piece[] {
  const { tokenId, verifiedAt, settledAt, httpStatus, settlementId, transaction } = record;
  const { moneyStatus, chainStatus, seller } = record;
  const isRefused = moneyStatus === "refused";
  const time = (at: string) => absoluteTime(new Date(at));
  const permission = isRefused ? "error" : "ok";
  const pieces: Piece[] = [
    isTransfer(record)
      ? [
          "Permission",
          permission,
          seller ? "Signed for you, within the delegation" : "Payment signed by the customer",
        ]
      : !tokenId
        ? ["Permission", "idle", "No proven access token"]
        : role === "builder"
          ? ["Permission", permission, "Customer’s access token"]
          : ["Permission", permission, "Your access token", ["Open token", `/tokens/${tokenId}`]],
  ];
  if (verifiedAt) {
    const text = `${chargeText(record)} reserved, ${time(verifiedAt)}`;
    pieces.push(["Reservation", "ok", text]);
  }
  if (httpStatus === undefined) {
    const text = seller ? "Known only to you and the seller" : "Not reported by the gate yet";
    pieces.push(["Delivery", "idle", text]);
  } else {
    const mark = isRefused ? "skipped" : moneyStatus === "not-charged" ? "error" : "ok";
    pieces.push(["Delivery", mark, `HTTP ${httpStatus}, reported by the gate`]);
  }
  const chain = (
    <>
      {isTransfer(record) ? "Transfer" : "Burn"} {CHAIN_WORDS[chainStatus]}{" "}
      {transaction && <Transaction value={transaction} />}
    </>
  );
  const proof = chainStatus === "none" ? "This plan does not settle on chain" : chain;
  const proved: Piece = ["Proof", CHAIN_MARKS[chainStatus] ?? "running", proof];
  if (seller) return transaction ? [...pieces, ["Proof", "ok", chain]] : pieces;
  if (!settlementId || !settledAt) {
    const mark = moneyStatus === "delivered-unsettled" ? "warn" : "idle";
    return isRefused ? pieces : [...pieces, ["Receipt", mark, "Issued when the request settles"]];
  }
  const receipt: [string, string] = ["Open receipt", `/receipts/${settlementId}`];
  return [...pieces, ["Receipt", "ok", `Settled, ${time(settledAt)}`, receipt], proved];
}
