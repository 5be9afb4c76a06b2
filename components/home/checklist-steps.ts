import type { Role } from "@turnpike/payments/protocol";
import type { Home } from "@/lib/console/figures.ts";

export type ChecklistStep = {
  title: string;
  text: string;
  isDone: boolean;
  action: { label: string; href: string };
};

/** The three first steps of a role, ticked off by what the service has seen. */
export const stepsOf = (role: Role, home: Home): ChecklistStep[] =>
  role === "builder" ? builderSteps(home.builder) : subscriberSteps(home.subscriber);

export const isComplete = (role: Role, home: Home): boolean =>
  stepsOf(role, home).every(({ isDone }) => isDone);

/** What a new account chose to do first. */
export type Start = Role | "both";

export function sidesOf({ builder, subscriber }: Home) {
  return {
    sells: builder.plans > 0 || builder.agents > 0 || builder.hasSettled,
    buys: subscriber.subscriptions > 0 || subscriber.tokens > 0 || subscriber.activeDelegations > 0,
  };
}

/** The roles with open first steps; for a new account those it chose. */
export function checklistsOf(home: Home, start: Start): Role[] {
  const { sells, buys } = sidesOf(home);
  if (!sells && !buys) return start === "both" ? ["builder", "subscriber"] : [start];
  const isOpen = (role: Role) => !isComplete(role, home);
  const sides: Role[] = [];
  if (sells && isOpen("builder")) sides.push("builder");
  if (buys && isOpen("subscriber")) sides.push("subscriber");
  return sides;
}

const builderSteps = ({
  plans,
  agentId,
  hasChallenged,
  hasSettled,
}: Home["builder"]): ChecklistStep[] => [
  {
    title: "Set a price",
    text: "Create a plan: what a call costs and who gets paid.",
    isDone: plans > 0,
    action: { label: "New plan", href: "/plans/new" },
  },
  {
    title: agentId && !hasChallenged ? "Check your agent" : "Register your agent",
    text: "Complete once it returns 402 to a request without payment.",
    isDone: hasChallenged,
    action: agentId
      ? { label: "Run checks", href: `/agents/${agentId}/checks` }
      : { label: "Register an agent", href: "/agents/new" },
  },
  {
    title: "Make a paid call",
    text: "Pay for a call yourself. Complete once it is settled.",
    isDone: hasSettled,
    action: { label: "Open playground", href: "/playground" },
  },
];

const subscriberSteps = (side: Home["subscriber"]): ChecklistStep[] => [
  {
    title: "Choose a plan",
    text: "Order a plan to get its credits.",
    isDone: side.subscriptions > 0,
    action: { label: "Explore plans", href: "/explore" },
  },
  {
    title: "Set a limit",
    text: "A delegation limits how much an access token can spend, and for how long.",
    isDone: side.hasLimit || side.hasSettled,
    action: { label: "New delegation", href: "/delegations/new" },
  },
  {
    title: "Make a call",
    text: "Send the access token with a request. Complete once it is settled.",
    isDone: side.hasSettled,
    action: { label: "Open playground", href: "/playground" },
  },
];
