import type { Role } from "@turnpike/payments/protocol";
import type { Home } from "@/lib/console/figures.ts";

export type ChecklistStep = {
  title: string;
  text: string;
  isDone: boolean;
  action: { label: string; href: string };
};

/** The three steps of a side, ticked by what the service knows and nothing else. */
export const stepsOf = (role: Role, home: Home): ChecklistStep[] =>
  role === "builder" ? builderSteps(home.builder) : subscriberSteps(home.subscriber);

export const isComplete = (role: Role, home: Home): boolean =>
  stepsOf(role, home).every(({ isDone }) => isDone);

const builderSteps = ({ plans, hasChallenged, hasSettled }: Home["builder"]): ChecklistStep[] => [
  {
    title: "Price it",
    text: "A plan says what a call costs and who is paid.",
    isDone: plans > 0,
    action: { label: "New plan", href: "/plans/new" },
  },
  {
    title: "Point at it",
    text: "Register the agent; done once it answers 402 to a call without payment.",
    isDone: hasChallenged,
    action: { label: "Register an agent", href: "/agents/new" },
  },
  {
    title: "Prove it",
    text: "Pay for one call yourself; done once it is settled.",
    isDone: hasSettled,
    action: { label: "Open playground", href: "/playground" },
  },
];

const subscriberSteps = (side: Home["subscriber"]): ChecklistStep[] => [
  {
    title: "Pick a plan",
    text: "Order one and its credits are yours.",
    isDone: side.subscriptions > 0,
    action: { label: "Explore plans", href: "/explore" },
  },
  {
    title: "Set a limit",
    text: "A delegation says how much an access token may spend, and until when.",
    isDone: side.activeDelegations > 0 || side.tokens > 0,
    action: { label: "New delegation", href: "/delegations/new" },
  },
  {
    title: "Make a call",
    text: "Send the access token with a request; done once it is settled.",
    isDone: side.hasSettled,
    action: { label: "Open playground", href: "/playground" },
  },
];
