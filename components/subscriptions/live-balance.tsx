"use client";

import { useQuery } from "@tanstack/react-query";
import type { Subscription } from "@turnpike/payments/protocol";
import { plural } from "@/lib/text/plural.ts";
import { readQuery } from "../data/read-operation.ts";
import { useEventRefresh } from "../data/use-event-refresh.ts";
import { Figures } from "../ui/data/figures.tsx";
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
        {
          label: "Reserved",
          value: plural(BigInt(subscription.held), "credit"),
          note: "For calls in progress",
        },
        {
          label: "Used, last 30 days",
          value: plural(BigInt(subscription.creditsUsed30d), "credit"),
          note: plural(subscription.requests30d, "call"),
        },
        {
          label: "Expires",
          value: subscription.endsAt ? <TimeAgo at={subscription.endsAt} now={now} /> : "Never",
          note: forecastText(subscription, daysUsed),
        },
      ]}
    />
  );
}
