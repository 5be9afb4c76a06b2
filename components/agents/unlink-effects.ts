import { plural } from "@/lib/text/plural.ts";
import type { Effect } from "../ui/overlays/dialog.tsx";

/** Who uses a plan that is linked to an agent, and where else. */
export type PlanUse = { subscribers: number; otherAgents: number };

export const unlinkEffects = (use: PlanUse): Effect[] => [
  {
    icon: "cross",
    title: "This agent declines the plan’s access tokens",
    detail: "Callers get invalid_agent. Calls in progress may still settle.",
  },
  subscribersEffect(use),
  { icon: "check", title: "Orders and credits don’t change" },
];

function subscribersEffect({ subscribers, otherAgents }: PlanUse): Effect {
  const icon = "subscriptions";
  if (subscribers === 0) return { icon, title: "It has no subscribers" };
  if (otherAgents > 0) {
    const where = plural(otherAgents, "other agent");
    return { icon, title: `${plural(subscribers, "subscriber")} can use it at ${where}` };
  }
  const who = plural(subscribers, "subscriber has", "subscribers have");
  return {
    icon,
    title: `${who} a plan that no agent accepts`,
    detail: "They can’t use what is left until you link it to an agent.",
  };
}
