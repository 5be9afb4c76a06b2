import type { Budgets } from "@turnpike/payments/protocol";
import { plural } from "@/lib/text/plural.ts";
import { forecastText, momentOf, nameOfLimit } from "../budgets/budget-text.ts";
import { endsSoon, outlookOf, type UsedSubscription } from "../subscriptions/outlook.ts";
import { buyText, endedText } from "../subscriptions/subscription-text.ts";
import type { Need } from "./need.ts";

export type SpendingFacts = {
  now: string;
  waitingApprovals: number;
  subscriptions?: readonly UsedSubscription[] | undefined;
  budgets?: Budgets | undefined;
};

const NEARLY_USED_PERCENT = 80n;

/** What a subscriber should do next so that their calls go on. */
export const spendingNeeds = (facts: SpendingFacts): Need[] => [
  ...approvalNeeds(facts),
  ...(facts.subscriptions ?? []).flatMap((subscription) => endingNeeds(subscription, facts.now)),
  ...(facts.budgets ? budgetNeeds(facts.budgets) : []),
];

const approvalNeeds = ({ waitingApprovals }: SpendingFacts): Need[] =>
  waitingApprovals === 0
    ? []
    : [
        {
          key: "approvals",
          harm: 85,
          icon: "half",
          tone: "unsettled",
          title: plural(
            waitingApprovals,
            "request waits for your approval",
            "requests wait for your approval",
          ),
          detail: "A request expires if you don’t decide in time.",
          action: { label: "Review", href: "/approvals" },
        },
      ];

function endingNeeds(subscription: UsedSubscription, now: string): Need[] {
  const outlook = outlookOf(subscription, now);
  if (!endsSoon(subscription, outlook)) return [];
  const { planId, planName, isActive, isTrial } = subscription;
  const lasts = outlook.title.charAt(0).toLowerCase() + outlook.title.slice(1);
  return [
    {
      key: `ends ${planId}`,
      harm: isActive ? 65 : 68,
      icon: "subscriptions",
      tone: "unsettled",
      title: isActive
        ? `“${planName}” ${lasts}`
        : endedText(subscription, planName).replace(/\.$/, ""),
      detail: outlook.detail,
      action: isTrial
        ? { label: "Explore plans", href: "/explore" }
        : { label: buyText(subscription), href: `/checkout/${planId}` },
    },
  ];
}

function budgetNeeds({ limits, currency }: Budgets): Need[] {
  return limits.flatMap((limit, index): Need[] => {
    const [used, whole] = [BigInt(limit.used), BigInt(limit.limit)];
    if (limit.period === "call" || used * 100n < whole * NEARLY_USED_PERCENT) return [];
    const isUsed = used >= whole;
    const resets = limit.resetsAt && `Resets ${momentOf(limit.resetsAt)}.`;
    return [
      {
        key: `budget ${index}`,
        harm: isUsed ? 78 : 55,
        icon: "gauge",
        tone: isUsed ? "refused" : "unsettled",
        title: isUsed
          ? `Budget used up: ${nameOfLimit(limit)}`
          : `Budget ${(used * 100n) / whole}% used: ${nameOfLimit(limit)}`,
        detail: [
          isUsed
            ? "Orders and calls above it are declined."
            : sentenceOf(forecastText(limit, currency)),
          resets,
        ]
          .filter(Boolean)
          .join(" "),
        action: { label: "Edit budgets", href: "/settings/budgets" },
      },
    ];
  });
}

const sentenceOf = (text: string | undefined) => text && `${text}.`;
