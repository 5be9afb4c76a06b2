"use client";

import type { DelegationSummary } from "@turnpike/payments/protocol";
import { useMemo, useState } from "react";
import { plural } from "@/lib/text/plural.ts";
import { Button } from "../ui/button.tsx";
import { ButtonLink } from "../ui/button-link.tsx";
import { DataTable, type ListProps } from "../ui/data/data-table.tsx";
import { actionsColumn, type DataColumns } from "../ui/data/data-table-columns.ts";
import { Icon } from "../ui/icon.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { createLater } from "../ui/later.ts";
import { Menu } from "../ui/overlays/menu.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { Skeleton } from "../ui/skeleton.tsx";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import { DelegationMeter } from "./delegation-meter.tsx";
import { DelegationStatePill } from "./delegation-state-pill.tsx";
import { endOf, isLive, nameOf } from "./delegation-text.ts";
import type { RevokeDelegationAction } from "./revoke-delegation.tsx";

const DelegationDetails = createLater(
  () => import("./delegation-details.tsx"),
  "DelegationDetails",
);
const RevokeDelegation = createLater(() => import("./revoke-delegation.tsx"), "RevokeDelegation");

export type ListedDelegation = DelegationSummary & {
  /** "Account 0x4c1B…6441", "Visa 4242". */
  backedBy: string;
  /** "Starter, Pro", "Any plan". */
  covers: string;
};

type Row = ListedDelegation & {
  now: string;
  isOpen: boolean;
  onRevoke: () => void;
};

const columns: DataColumns<Row> = [
  {
    id: "name",
    head: "Name",
    phone: "title",
    opens: true,
    className: "min-w-40 [td&]:pt-2.5 [td&]:align-top max-sm:min-w-0",
    cell: (row) => (
      <span className="flex items-start gap-2">
        <Icon
          name={row.isOpen ? "down" : "right"}
          className="mt-1 size-3.5 text-ink-2 rtl:-scale-x-100"
        />
        <span className="min-w-0">
          <span className="wrap-anywhere block font-medium">{nameOf(row)}</span>
          <span className="wrap-anywhere block text-ink-2 text-small">{row.covers}</span>
        </span>
      </span>
    ),
  },
  {
    id: "backedBy",
    label: "Payment method",
    className: "whitespace-nowrap [td&]:pt-2.5 [td&]:align-top",
  },
  {
    id: "limits",
    head: "Limits",
    className: "min-w-56 [td&]:py-2.5 [td&]:align-top max-sm:min-w-0 max-sm:col-span-full",
    cell: (row) => <DelegationMeter delegation={row} now={row.now} />,
  },
  {
    id: "activeTokens",
    label: "Used by",
    className: "whitespace-nowrap [td&]:pt-2.5 [td&]:align-top",
    cell: ({ activeTokens }) => tokensText(activeTokens),
  },
  {
    id: "expiresAt",
    label: "Expires",
    className: "whitespace-nowrap [td&]:pt-2.5 [td&]:align-top",
    cell: (row) => (row.status === "Revoked" ? "–" : <TimeAgo at={endOf(row)} />),
  },
  {
    id: "status",
    head: "Status",
    className: "[td&]:pt-2 [td&]:align-top",
    cell: (row) => <DelegationStatePill delegation={row} />,
  },
  actionsColumn((row) => <Actions {...row} />, { className: "[td&]:pt-2 [td&]:align-top" }),
];

function Actions(row: Row) {
  const { delegationId, status, onRevoke } = row;
  const name = nameOf(row);
  const page = `/delegations/${delegationId}`;
  const copy = () =>
    navigator.clipboard.writeText(delegationId).then(
      () => toast("Delegation ID copied"),
      () => toast(`Your browser blocked copying. The ID is ${delegationId}`, { tone: "warn" }),
    );
  return (
    <>
      {status === "AwaitingSignature" && (
        <ButtonLink size="small" href={page} aria-label={`Sign ${name}`}>
          Sign
        </ButtonLink>
      )}
      {isLive(row) ? (
        <Button size="small" onClick={onRevoke} aria-label={`Revoke ${name}`}>
          Revoke
        </Button>
      ) : (
        <ButtonLink
          size="small"
          href={`/delegations/new?from=${delegationId}`}
          aria-label={`Renew ${name}`}
        >
          Renew
        </ButtonLink>
      )}
      <Menu
        trigger={<IconButton icon="dots" label={`More for ${name}`} />}
        groups={[
          [
            { label: "Open", icon: "right", href: page },
            ...(isLive(row)
              ? [
                  {
                    label: "How long will this last?",
                    icon: "clock" as const,
                    href: `${page}#simulate`,
                  },
                ]
              : []),
            {
              label: "Renew",
              icon: "refresh",
              href: `/delegations/new?from=${delegationId}`,
            },
            { label: "View tokens", icon: "key", href: `/tokens?delegation=${delegationId}` },
          ],
          [{ label: "Copy ID", icon: "copy", onSelect: () => void copy() }],
        ]}
      />
    </>
  );
}

const tokensText = (tokens: number): string =>
  tokens === 0 ? "No tokens" : plural(tokens, "token");

type DelegationTableProps = ListProps & {
  delegations: ListedDelegation[];
  now: string;
  revokeDelegation: RevokeDelegationAction;
};

export function DelegationTable({
  delegations,
  now,
  revokeDelegation,
  ...table
}: DelegationTableProps) {
  const [openId, setOpenId] = useState<string | null>(null);
  const [revoking, setRevoking] = useState<ListedDelegation | null>(null);
  const Details = DelegationDetails.usePart(openId !== null, () => setOpenId(null));
  const Revoke = RevokeDelegation.usePart(revoking !== null, () => setRevoking(null));
  const rows = useMemo(
    () =>
      delegations.map((each) => ({
        ...each,
        now,
        isOpen: each.delegationId === openId,
        onRevoke: () => setRevoking(each),
      })),
    [delegations, now, openId],
  );
  return (
    <>
      <DataTable
        caption="Delegations"
        columns={columns}
        rows={rows}
        rowId={({ delegationId }) => delegationId}
        onOpen={({ delegationId }) =>
          setOpenId((open) => (open === delegationId ? null : delegationId))
        }
        expansionOf={(row) =>
          row.isOpen && (Details ? <Details delegation={row} now={now} /> : <Skeleton />)
        }
        {...table}
      />
      {Revoke && revoking && (
        <Revoke
          delegation={revoking}
          revokeDelegation={revokeDelegation}
          onClose={() => setRevoking(null)}
        />
      )}
    </>
  );
}
