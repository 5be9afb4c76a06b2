import type { Budgets } from "@turnpike/payments/protocol";
import { BudgetMeters } from "../budgets/budget-meters.tsx";
import { ButtonLink } from "../ui/button-link.tsx";
import { Card } from "../ui/card.tsx";
import { NearLink } from "../ui/links/near-link.tsx";

/** What was spent of each budget, or how to set the first one. */
export function BudgetSummary({ budgets }: { budgets: Budgets }) {
  const isSet = budgets.limits.length > 0;
  return (
    <section aria-labelledby="budgets" className="min-w-0">
      <div className="mb-2 flex min-h-8.5 items-center">
        <h2 id="budgets" className="text-h2">
          Budgets
        </h2>
        {isSet && (
          <NearLink
            href="/settings/budgets"
            className="link ms-auto inline-flex min-h-6 items-center text-label"
          >
            Edit budgets
          </NearLink>
        )}
      </div>
      <Card>
        {isSet ? (
          <BudgetMeters budgets={budgets} />
        ) : (
          <>
            <p className="mb-3 text-ink-2 text-note">
              No budget is set. A budget limits what all your agents spend together in a day, a week
              or a month.
            </p>
            <ButtonLink size="small" href="/settings/budgets">
              Set a budget
            </ButtonLink>
          </>
        )}
      </Card>
    </section>
  );
}
