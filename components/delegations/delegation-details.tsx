"use client";

import { useQuery } from "@tanstack/react-query";
import type { DelegationSummary } from "@turnpike/payments/protocol";
import { createContext, useContext } from "react";
import { QueryProvider } from "../data/query-provider.tsx";
import { readQuery } from "../data/read-operation.ts";
import { DefinitionList } from "../ui/data/definition-list.tsx";
import { ErrorState } from "../ui/error-state.tsx";
import { durationWords } from "../ui/fields/duration-text.ts";
import { Icon } from "../ui/icon.tsx";
import { NearLink } from "../ui/links/near-link.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Identifier } from "../ui/values/identifier.tsx";
import { minorText } from "../ui/values/money-text.ts";
import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import { momentText, unitOf } from "./delegation-text.ts";
import { paidLines } from "./paid-lines.ts";

const MAX_LINES = 12;

export function DelegationDetails({
  delegation,
  now,
  headingLevel = "h2",
}: PartProps & { headingLevel?: "h2" | "h3" }) {
  return (
    <QueryProvider>
      <PartHeading value={headingLevel}>
        <div className="grid gap-x-8 gap-y-5 lg:grid-cols-[1.25fr_1fr_1fr]">
          <PaidFor delegation={delegation} now={now} />
          <Tokens delegation={delegation} />
          <Facts delegation={delegation} now={now} />
        </div>
      </PartHeading>
    </QueryProvider>
  );
}

/** One level below the page or the section around it. */
const PartHeading = createContext<"h2" | "h3">("h2");

type PartProps = { delegation: DelegationSummary; now: string };

function Part({ title, children }: { title: string; children: React.ReactNode }) {
  const Heading = useContext(PartHeading);
  return (
    <section className="min-w-0">
      <Heading className="border-line border-b pb-1.5 text-ink-2 text-label">{title}</Heading>
      {children}
    </section>
  );
}

function PaidFor({ delegation, now }: PartProps) {
  const { data, error, refetch, isFetching } = useQuery(readQuery("listOrders", { limit: 100 }));
  const spent = BigInt(delegation.amountSpentCents);
  const reserved = BigInt(delegation.amountReservedCents);
  const limit = BigInt(delegation.spendingLimitCents);
  if (error) return <Failed onRetry={() => void refetch()} isRetrying={isFetching} />;
  const lines = data ? paidLines(delegation, data.items) : [];
  const hidden = lines.slice(0, -MAX_LINES);
  const money = (cents: bigint) => minorText(cents, unitOf(delegation));
  return (
    <Part title="Orders paid">
      <table className="w-full text-note tabular-nums">
        <caption className="sr-only">Orders paid</caption>
        <tbody>
          {!data && <Line text={<Skeleton className="w-24" />} />}
          {data && lines.length === 0 && <Line text="No orders yet." />}
          {hidden.length > 0 && (
            <Line
              text="Earlier orders"
              amount={money(hidden.reduce((sum, { cents }) => sum + cents, 0n))}
            />
          )}
          {lines.slice(-MAX_LINES).map(({ key, at, text, cents, isReserved }) => (
            <Line
              key={key}
              at={at && momentText(at, new Date(now))}
              text={text}
              isReserved={isReserved}
              amount={money(cents)}
            />
          ))}
        </tbody>
        {limit > 0n && (
          <tfoot className="border-ink-2 border-t font-semibold">
            <tr>
              <td colSpan={2} className="py-1.5 pe-3">
                Spent {money(spent)}
                {reserved > 0n && ` and reserved ${money(reserved)}`} of {money(limit)}
              </td>
              <td className="whitespace-nowrap py-1.5 text-end align-top">
                {reserved > 0n && money(spent + reserved)}
              </td>
            </tr>
          </tfoot>
        )}
      </table>
    </Part>
  );
}

type LineProps = {
  at?: string | undefined;
  text: React.ReactNode;
  isReserved?: boolean;
  amount?: string;
};

function Line({ at, text, isReserved, amount }: LineProps) {
  return (
    <tr>
      {at && <td className="whitespace-nowrap py-1.5 pe-4 align-top text-ink-2">{at}</td>}
      <td colSpan={at ? 1 : 2} className="wrap-anywhere w-full py-1.5 pe-3">
        {text}
        {isReserved && (
          <span className="text-ink-2">
            , <Icon name="half" className="inline size-3 align-[-1px]" /> reserved
          </span>
        )}
      </td>
      <td className="whitespace-nowrap py-1.5 text-end align-top">{amount}</td>
    </tr>
  );
}

const MAX_TOKENS = 5;

function Tokens({ delegation }: Pick<PartProps, "delegation">) {
  const { delegationId } = delegation;
  const { data, error, refetch, isFetching } = useQuery(
    readQuery("listTokens", { delegationId, limit: MAX_TOKENS }),
  );
  if (error) return <Failed onRetry={() => void refetch()} isRetrying={isFetching} />;
  return (
    <Part title="Access tokens">
      {!data && <Skeleton className="mt-3 w-40" />}
      {data?.items.length === 0 && <p className="py-1.5 text-ink-2 text-note">No tokens yet.</p>}
      <ul className="text-note">
        {data?.items.map(({ tokenId, agentName, planName, issuedAt, status }) => (
          <li key={tokenId} className="flex flex-wrap items-baseline gap-x-3 py-1.5">
            <NearLink href={`/tokens/${tokenId}`} className="link font-mono text-small">
              {shortenIdentifier(tokenId)}
            </NearLink>
            <span className="wrap-anywhere min-w-0 flex-1">
              {agentName ?? planName}
              {status !== "Active" && <span className="text-ink-2">, {status.toLowerCase()}</span>}
            </span>
            <TimeAgo at={issuedAt} className="text-ink-2" />
          </li>
        ))}
      </ul>
      {data && data.total > MAX_TOKENS && (
        <NearLink href={`/tokens?delegation=${delegationId}`} className="link text-note">
          All {data.total} tokens
        </NearLink>
      )}
    </Part>
  );
}

function Facts({ delegation, now }: PartProps) {
  const { delegationId, sessionKeyAddress, createdAt, expiresAt } = delegation;
  const secs = (Date.parse(expiresAt) - Date.parse(createdAt)) / 1_000;
  return (
    <Part title="Details">
      <DefinitionList
        look="split"
        items={{
          ID: <Identifier value={delegationId} name="delegation ID" />,
          "Session key": <Identifier value={sessionKeyAddress} name="session key" />,
          Created: `${momentText(createdAt, new Date(now)).replace(/^t/, "T")} UTC`,
          Duration: durationWords(Math.round(secs)),
        }}
      />
    </Part>
  );
}

function Failed({ onRetry, isRetrying }: { onRetry: () => void; isRetrying: boolean }) {
  return (
    <ErrorState
      title="This could not be loaded"
      onRetry={onRetry}
      isRetrying={isRetrying}
      className="py-3"
    >
      Try again. Nothing was charged or changed.
    </ErrorState>
  );
}
