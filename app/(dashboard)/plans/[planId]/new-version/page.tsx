import { confirmationOf } from "@/app/_session/confirmation-of.ts";
import { read } from "@/app/_session/operations.ts";
import { requireSession } from "@/app/_session/session.ts";
import { findUneditable } from "@/components/plans/builder/edited-terms.ts";
import { NewVersionForm } from "@/components/plans/builder/new-version-form.tsx";
import { termsOfPlan } from "@/components/plans/terms-of-plan.ts";
import type { Routed } from "@/components/search-params.ts";
import { Notice } from "@/components/ui/notice.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { TextLink } from "@/components/ui/text-link.tsx";
import { Tag } from "@/components/ui/values/tag.tsx";
import { publishVersion } from "../../actions.ts";
import { readMarket } from "../../read-market.ts";
import { readOwnPlan } from "../../read-own-plan.ts";

export const metadata = { title: "New version" };

export default async function NewVersionPage({ params }: Routed<"planId">) {
  const { planId } = await params;
  const [{ plan }, market, { renewing }] = await Promise.all([
    readOwnPlan(planId),
    readMarket(),
    read("getPlanFigures", { planId, range: "24h" }),
  ]);
  const { name } = plan.metadata.main;
  const terms = termsOfPlan(plan);
  const uneditable = findUneditable(terms);
  return (
    <>
      <PageHeader
        title={`New version of ${name}`}
        aside={<Tag>Current version: {plan.version}</Tag>}
      >
        A new version applies to new orders.
      </PageHeader>
      {uneditable ? (
        <Notice tone="info" title="This form can’t edit the plan’s price">
          {uneditable} Publish the version over the API, with{" "}
          <TextLink href="/docs/api/updatePlan">updatePlan</TextLink>.
        </Notice>
      ) : (
        <NewVersionForm
          planId={planId}
          name={name}
          version={plan.version}
          terms={terms}
          renewing={renewing}
          market={market}
          confirmation={await confirmationOf(await requireSession())}
          publishVersion={publishVersion}
        />
      )}
    </>
  );
}
