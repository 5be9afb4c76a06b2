import type { Home } from "@/lib/console/figures.ts";
import { plural } from "@/lib/text/plural.ts";
import type { IconName } from "../ui/icon.tsx";

export type Alert = { text: string; count: number; href: string; icon: IconName };

/** Alerts from the figures of the home page, the most urgent first. */
export function alertsOf({ builder, subscriber }: Home): Alert[] {
  const alerts: Alert[] = [
    {
      count: builder.unsettled,
      text: plural(builder.unsettled, "unsettled call"),
      href: "/activity/reconcile",
      icon: "half",
    },
    {
      count: subscriber.unsettled,
      text: plural(
        subscriber.unsettled,
        "call you made has an unknown outcome",
        "calls you made have an unknown outcome",
      ),
      href: "/activity?role=subscriber&range=30d&money=delivered-unsettled,unknown",
      icon: "dashed",
    },
    {
      count: subscriber.delegationAlerts,
      text: plural(
        subscriber.delegationAlerts,
        "delegation needs attention",
        "delegations need attention",
      ),
      href: "/delegations",
      icon: "clock",
    },
  ];
  return alerts.filter(({ count }) => count > 0);
}
