import { plural } from "@/lib/text/plural.ts";
import type { Effect } from "../ui/overlays/dialog.tsx";

export const archiveEffects = {
  plan: (subscribers: number, agents: number): Effect[] => [
    {
      icon: "close",
      title: "It sells nothing more",
      detail: "New orders and top-ups are declined, and it leaves Explore.",
    },
    {
      icon: "subscriptions",
      title:
        subscribers === 0
          ? "It has no subscribers"
          : plural(subscribers, "subscriber keeps their credits", "subscribers keep their credits"),
      detail: "Their access tokens work until the credits are used or expire.",
    },
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
      title: "It leaves every list",
      detail: "A plan that no other agent accepts leaves Explore with it.",
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
