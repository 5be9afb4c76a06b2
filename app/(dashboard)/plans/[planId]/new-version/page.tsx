import { NewVersionForm } from "@/components/plans/builder/new-version-form.tsx";
import { termsOfPlan } from "@/components/plans/terms-of-plan.ts";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { Tag } from "@/components/ui/values/tag.tsx";
import { updatePlan } from "../../actions.ts";
import { readMarket } from "../../read-market.ts";
import { readOwnPlan } from "../../read-own-plan.ts";

export const metadata = { title: "New version" };

export default async function NewVersionPage({ params }: { params: Promise<{ planId: string }> }) {
  const { planId } = await params;
  const [{ plan }, market] = await Promise.all([readOwnPlan(planId), readMarket()]);
  const { name } = plan.metadata.main;
  return (
    <>
      <PageHeader
        title={`New version of ${name}`}
        aside={<Tag>Current version: {plan.version}</Tag>}
      >
        A new version applies to new orders.
      </PageHeader>
      <NewVersionForm
        planId={planId}
        name={name}
        version={plan.version}
        terms={termsOfPlan(plan)}
        market={market}
        updatePlan={updatePlan}
      />
    </>
  );
}
