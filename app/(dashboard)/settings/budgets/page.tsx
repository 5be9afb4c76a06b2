import { read } from "@/app/_session/operations.ts";
import { BudgetMeters } from "@/components/budgets/budget-meters.tsx";
import { BudgetsForm } from "@/components/budgets/budgets-form.tsx";
import { ButtonLink } from "@/components/ui/button-link.tsx";
import { Card } from "@/components/ui/card.tsx";
import { PageHeader, Section } from "@/components/ui/page-header.tsx";
import { countedIn } from "@/lib/console/paid-in.ts";
import { setBudgets } from "./actions.ts";

export const metadata = { title: "Budgets" };

export default async function BudgetsPage() {
  const counted = await read("getBudgets", {});
  const budgets = { ...counted, currency: countedIn(counted.currency) };
  return (
    <>
      <PageHeader title="Budgets" actions={<ButtonLink href="/approvals">Approvals</ButtonLink>}>
        Budgets apply to every delegation, token, key and payment method on your account.
      </PageHeader>
      <div className="max-w-180">
        <Card>
          <BudgetMeters budgets={budgets} />
        </Card>
        <Section id="edit" title="Edit budgets">
          <BudgetsForm
            key={budgets.currency}
            budgets={budgets}
            saveBudgets={setBudgets.bind(null, counted.currency)}
          />
        </Section>
      </div>
    </>
  );
}
