"use client";

import { useQuery } from "@tanstack/react-query";
import type { Subscription } from "@turnpike/payments/protocol";
import { plural } from "@/lib/text/plural.ts";
import { readQuery } from "../data/read-operation.ts";
import { useEventRefresh } from "../data/use-event-refresh.ts";
import { type Figure, Figures } from "../ui/data/figures.tsx";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import { clockText } from "../ui/values/time-text.ts";
import { forecastText, leftText } from "./subscription-text.ts";

type LiveBalanceProps = {
  subscription: Subscription;
  now: string;
  /** Since the first call of the last thirty days. */
  daysUsed: number;
};

/** What is left of a plan, refreshed while the page is open, with the time of the last refresh. */
export function LiveBalance({ subscription: first, now, daysUsed }: LiveBalanceProps) {
  const { planId } = first;
  const { data, dataUpdatedAt, isError } = useQuery({
    ...readQuery("listSubscriptions", { planId, limit: 1 }),
    refetchInterval: useEventRefresh(),
    refetchOnWindowFocus: "always",
  });
  const subscription = data?.items[0] ?? first;
  const readAt = data ? new Date(dataUpdatedAt) : new Date(now);
  return (
    <Figures
      figures={[
        {
          label: "Left",
          value: leftText(subscription),
          note: `As of ${clockText(readAt)} UTC${isError ? ". Refreshing failed." : ""}`,
        },
        ...usageOf(subscription),
        {
          label: "Expires",
          value: subscription.endsAt ? (
            <TimeAgo at={subscription.endsAt} form="full" className="whitespace-normal" />
          ) : (
            "Never"
          ),
          note: forecastText(subscription, daysUsed),
        },
      ]}
    />
  );
}

/** A plan of time has no credits to count. */
function usageOf({ accessLimit, held, creditsUsed30d, requests30d }: Subscription): Figure[] {
  const calls = plural(requests30d, "call");
  if (accessLimit === "time") return [{ label: "Last 30 days", value: calls }];
  return [
    {
      label: "Reserved",
      value: plural(BigInt(held), "credit"),
      note: "For calls in progress",
    },
    {
      label: "Used, last 30 days",
      value: plural(BigInt(creditsUsed30d), "credit"),
      note: calls,
    },
  ];
}
