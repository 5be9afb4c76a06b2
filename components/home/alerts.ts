import type { Home } from "@/lib/console/figures.ts";
import type { IconName } from "../ui/icon.tsx";
import { groupDigits } from "../ui/values/money-text.ts";

export type Alert = { text: string; count: number; href: string; icon: IconName };

/** What the first page's figures say that asks for a person, the worst first. */
export function alertsOf({ builder, subscriber }: Home): Alert[] {
  const say = (count: number, one: string, many: string) =>
    `${groupDigits(count)} ${count === 1 ? one : many}`;
  const alerts: Alert[] = [
    {
      count: builder.unsettled,
      text: say(builder.unsettled, "call delivered, not settled", "calls delivered, not settled"),
      href: "/activity/reconcile",
      icon: "half",
    },
    {
      count: subscriber.unsettled,
      text: say(
        subscriber.unsettled,
        "call you made has no known outcome",
        "calls you made have no known outcome",
      ),
      href: "/activity?role=subscriber&range=30d&money=delivered-unsettled,unknown",
      icon: "dashed",
    },
    {
      count: subscriber.delegationsEndingIn7Days,
      text: say(
        subscriber.delegationsEndingIn7Days,
        "delegation ends within 7 days",
        "delegations end within 7 days",
      ),
      href: "/delegations",
      icon: "clock",
    },
  ];
  return alerts.filter(({ count }) => count > 0);
}
