import { FAULTS, type PlanFault, settled } from "./faults.ts";

const CALL = { path: "ask", token: { kind: "test" }, plan: "calls" } as const;
const SETTLED = settled(null);
const REFUSALS = ["no-token", "garbage-token", "limit-reached", "revoked-mid-run"];

/** What a customer of any plan goes through: order, mint, call, be refused, top up. */
export const REHEARSAL: readonly PlanFault[] = [
  {
    id: "order-and-call",
    label: "Order and call",
    does: "The test customer orders the plan if it has no credits, mints a token and calls.",
    recipe: CALL,
    expected: SETTLED,
  },
  ...FAULTS.filter(({ id }) => REFUSALS.includes(id)).map((fault) => ({
    ...fault,
    // What a plan charges is its own.
    expected: { ...fault.expected, credits: null },
  })),
  {
    id: "top-up",
    label: "Top up",
    does: "The test customer orders the plan again, and the call uses its credits.",
    recipe: { ...CALL, during: "order" },
    expected: SETTLED,
  },
];
