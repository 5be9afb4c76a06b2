import { BUDGET_CAUSES } from "../permission-facts.ts";
import type { Change, Draft, Random } from "./question-draft.ts";
import { priceFigures } from "./second-arithmetic.ts";

type Budgets = NonNullable<Draft["question"]["facts"]["budgets"]>;

const NOTHING: Budgets["asks"] = { above: null, currency: null, aboveCredits: null, reason: null };

/** The question's budgets, made when it has none. */
function budgetsOf({ question: { facts } }: Draft): Budgets {
  facts.budgets ??= { room: [], asks: { ...NOTHING }, approval: null };
  return facts.budgets;
}

/** A limit with this much left, by any of its causes. */
const limit =
  (unit: "money" | "credits", more: (draft: Draft) => bigint): Change =>
  (draft, { pick }) => {
    const { currency } = draft.delegation;
    budgetsOf(draft).room.push({
      cause: pick(BUDGET_CAUSES.slice(1)),
      unit,
      currency,
      left: more(draft),
    });
  };

const costOf = ({ plan }: Draft) => priceFigures(plan.newest.price).minorUnits;

const approve =
  (state: "approved" | "used" | "declined"): Change =>
  (draft: Draft, { pick }: Random) => {
    if (state === "declined") budgetsOf(draft).asks.reason = "outside-hours";
    budgetsOf(draft).approval = {
      state,
      maxCents: costOf(draft) + pick([0n, 0n, 5n, -1n]),
      currency: pick([draft.delegation.currency, draft.delegation.currency, "xau"]),
      maxCredits: draft.amount + pick([0n, 0n, 5n, -1n]),
    };
  };

/** What can be otherwise about budgets and approvals. */
export const BUDGET_CHANGES: Record<string, Change> = {
  "builder not on the list": (draft) => {
    budgetsOf(draft).room.unshift({
      cause: "budget_not_allowed",
      unit: null,
      currency: null,
      left: null,
    });
  },
  "credits of a budget exact": limit("credits", ({ amount }) => amount),
  "credits of a budget short by one": limit("credits", ({ amount }) => amount - 1n),
  "credits of a budget used up": limit("credits", () => 0n),
  "money of a budget used up": limit("money", () => 0n),
  "money of a budget exact": limit("money", costOf),
  "money of a budget short by one": limit("money", (draft) => costOf(draft) - 1n),
  "budget in another currency": (draft) => {
    const { room } = budgetsOf(draft);
    const own = { cause: "budget_per_day", unit: "money", left: 10n ** 9n } as const;
    room.push({ ...own, currency: "xau" });
  },
  "asks above the price": (draft, { pick }) => {
    const { asks } = budgetsOf(draft);
    asks.above = costOf(draft) - pick([0n, 1n]);
    asks.currency = pick([draft.delegation.currency, draft.delegation.currency, "xau"]);
  },
  "asks above the credits": (draft, { pick }) => {
    budgetsOf(draft).asks.aboveCredits = draft.amount - pick([0n, 1n]);
  },
  "asks whatever it costs": (draft, { pick }) => {
    budgetsOf(draft).asks.reason = pick(["new-builder", "outside-hours"]);
  },
  approved: approve("approved"),
  "approved and used": approve("used"),
  "declined by a person": approve("declined"),
};
