import { plural } from "@/lib/text/plural.ts";
import type { Effect } from "../ui/overlays/dialog.tsx";

type PlanUse = {
  subscribers: number;
  /** Of these, who renew automatically. */
  renewing: number;
  agents: number;
  /** A time plan grants access, any other credits. */
  isTime: boolean;
};

const keeping = (count: number, what: string): string =>
  plural(count, `subscriber keeps their ${what}`, `subscribers keep their ${what}`);

/** Renewals are orders: an archived plan has none. */
const stoppedRenewals = (renewing: number): Effect[] =>
  renewing === 0
    ? []
    : [
        {
          icon: "refresh",
          title: plural(renewing, "renewal stops", "renewals stop"),
          detail: "When next due, unless you restore the plan first.",
        },
      ];

export const archiveEffects = {
  plan: ({ subscribers, renewing, agents, isTime }: PlanUse): Effect[] => [
    {
      icon: "close",
      title: "It can no longer be ordered",
      detail: "New orders and top-ups are declined, and it is removed from Explore.",
    },
    {
      icon: "subscriptions",
      title:
        subscribers === 0
          ? "It has no subscribers"
          : keeping(subscribers, isTime ? "access" : "credits"),
      detail: isTime
        ? "Until the time they paid for ends."
        : "Their access tokens work until the credits are used or expire.",
    },
    ...stoppedRenewals(renewing),
    {
      icon: "agents",
      title:
        agents === 0
          ? "No agent accepts it"
          : plural(agents, "agent still accepts it", "agents still accept it"),
    },
    { icon: "history", title: "You can restore it at any time" },
  ],
  agent: (customers: number, plans: number): Effect[] => [
    {
      icon: "close",
      title: "It is removed from all lists",
      detail: "Plans that no other agent accepts are removed from Explore too.",
    },
    {
      icon: "subscriptions",
      title:
        customers === 0
          ? "It had no customers in the last 30 days"
          : plural(customers, "customer keeps their access", "customers keep their access"),
      detail: "Calls with a valid access token are still charged.",
    },
    {
      icon: "plans",
      title:
        plans === 0 ? "No plan is linked" : plural(plans, "plan stays linked", "plans stay linked"),
    },
    { icon: "history", title: "You can restore it at any time" },
  ],
};
