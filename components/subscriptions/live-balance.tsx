"use client";

import { useQuery } from "@tanstack/react-query";
import type { Subscription } from "@turnpike/payments/protocol";
import { readQuery } from "../data/read-operation.ts";
import { Figures } from "../ui/data/figures.tsx";
import { groupDigits } from "../ui/values/money-text.ts";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import { clockText } from "../ui/values/time-text.ts";
import { daysLeft, leftText } from "./subscription-text.ts";

type LiveBalanceProps = {
  subscription: Subscription;
  now: string;
};

const EVERY_MS = 15_000;

/** What is left, read again while one looks, with the moment it was read. */
export function LiveBalance({ subscription: first, now }: LiveBalanceProps) {
  const { planId } = first;
  const { data, dataUpdatedAt, isError } = useQuery({
    ...readQuery("listSubscriptions", { planId, limit: 1 }),
    refetchInterval: EVERY_MS,
    refetchOnWindowFocus: "always",
  });
  const subscription = data?.items[0] ?? first;
  const readAt = data ? new Date(dataUpdatedAt) : new Date(now);
  const days = daysLeft(subscription);
  return (
    <Figures
      figures={[
        {
          label: "Left",
          value: leftText(subscription),
          note: `As of ${clockText(readAt)} UTC${isError ? ", could not be read again" : ""}`,
        },
        {
          label: "In flight",
          value: groupDigits(subscription.held),
          note: "Set aside for calls under way",
        },
        {
          label: "Used in 30 days",
          value: groupDigits(subscription.creditsUsed30d),
          note: `${groupDigits(subscription.requests30d)} ${subscription.requests30d === 1 ? "call" : "calls"}`,
        },
        {
          label: "Ends",
          value: subscription.endsAt ? <TimeAgo at={subscription.endsAt} now={now} /> : "Never",
          note:
            days === undefined || subscription.accessLimit === "time"
              ? "No rate to tell from yet"
              : `About ${groupDigits(days)} days of credits at this rate`,
        },
      ]}
    />
  );
}
