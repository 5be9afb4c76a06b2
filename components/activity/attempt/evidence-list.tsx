import type { RequestRecord, Role } from "@turnpike/payments/protocol";
import Link from "next/link";
import type { ReactNode } from "react";
import { plural } from "@/lib/text/plural.ts";
import { StepMark, type TimelineStatus } from "../../ui/data/step-timeline.tsx";
import { Address } from "../../ui/values/address.tsx";
import { TimeAgo } from "../../ui/values/time-ago.tsx";

type Piece = { name: string; status: TimelineStatus; text: ReactNode; link?: [string, string] };

/** What proves a request, piece by piece, with where to verify it; what does not exist yet says so. */
export function EvidenceList({ record, role }: { record: RequestRecord; role: Role }) {
  return (
    <ul className="grid text-note">
      {piecesOf(record, role).map(({ name, status, text, link }) => (
        <li
          key={name}
          className="grid grid-cols-[20px_6.5rem_minmax(0,1fr)_auto] items-center gap-x-2 border-line py-2 not-last:border-b max-sm:grid-cols-[20px_minmax(0,1fr)_auto]"
        >
          <StepMark status={status} />
          <span className="font-medium">{name}</span>
          <span className="wrap-anywhere min-w-0 text-ink-2 max-sm:col-span-2 max-sm:col-start-2 max-sm:row-start-2">
            {text}
          </span>
          {link ? (
            <Link href={link[1]} className="link inline-flex min-h-6 items-center">
              {link[0]}
            </Link>
          ) : (
            <span className="text-ink-2">{status === "idle" ? "None yet" : ""}</span>
          )}
        </li>
      ))}
    </ul>
  );
}

function piecesOf(record: RequestRecord, role: Role): Piece[] {
  const { tokenId, verifiedAt, settledAt, httpStatus, settlementId, transaction } = record;
  const { moneyStatus, credits, chainStatus } = record;
  const isRefused = moneyStatus === "refused";
  const all: (Piece | false)[] = [
    {
      name: "Permission",
      status: tokenId ? (isRefused ? "error" : "ok") : "idle",
      text: tokenId ? "Access token signed by the payer’s key" : "No proven access token",
      ...(tokenId &&
        role === "subscriber" && {
          link: ["Open token", `/tokens/${tokenId}`] as [string, string],
        }),
    },
    verifiedAt !== undefined && {
      name: "Reservation",
      status: "ok",
      text: (
        <>
          {plural(BigInt(credits), "credit")} reserved, <TimeAgo at={verifiedAt} form="full" />
        </>
      ),
    },
    {
      name: "Delivery",
      status:
        httpStatus === undefined
          ? "idle"
          : moneyStatus === "not-charged"
            ? "error"
            : isRefused
              ? "skipped"
              : "ok",
      text:
        httpStatus === undefined ? "Reported by the gate" : `The gate reported HTTP ${httpStatus}`,
    },
    !isRefused && {
      name: "Receipt",
      status: settlementId ? "ok" : moneyStatus === "delivered-unsettled" ? "warn" : "idle",
      text: settledAt ? (
        <>
          Settled <TimeAgo at={settledAt} form="full" />
        </>
      ) : (
        "Issued when the request settles"
      ),
      ...(settlementId && {
        link: ["Open receipt", `/receipts/${settlementId}`] as [string, string],
      }),
    },
    settlementId !== undefined && {
      name: "Proof",
      status:
        chainStatus === "final"
          ? "ok"
          : chainStatus === "failed"
            ? "error"
            : chainStatus === "none"
              ? "skipped"
              : "running",
      text:
        chainStatus === "none" ? (
          "This plan does not settle on chain"
        ) : (
          <>
            {chainStatus} {transaction && <Address value={transaction} name="transaction" />}
          </>
        ),
    },
  ];
  return all.filter((piece) => piece !== false);
}
