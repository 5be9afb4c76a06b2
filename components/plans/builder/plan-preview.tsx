import { Button } from "../../ui/button.tsx";
import { CodeTabs } from "../../ui/data/code-tabs.tsx";
import { Icon } from "../../ui/icon.tsx";
import type { Market } from "../market.ts";
import { curlOf, javascriptOf, jsonOf, pythonOf } from "../plan-code.ts";
import { TermsCard } from "../terms-card.tsx";
import type { PlanToCreate } from "./payload-of-draft.ts";

type PlanPreviewProps = {
  plan: PlanToCreate | null;
  market: Market;
  /** What is still missing, in sentences; the payload has placeholders for it. */
  missing?: string | undefined;
};

/** The plan as subscribers see it, and the request that creates it. */
export function PlanPreview({ plan, market, missing }: PlanPreviewProps) {
  if (!plan) {
    return (
      <p className="rounded-card border border-line p-4 text-ink-2">
        Fix the fields with errors to see the preview.
      </p>
    );
  }
  const { name, author, description } = plan.payload.metadataAttributes;
  return (
    <div className="grid min-w-0 gap-6">
      <section aria-labelledby="preview-card" className="grid min-w-0 gap-2">
        <h2 id="preview-card" className="text-ink-2 text-label">
          What subscribers see
        </h2>
        <TermsCard
          name={name}
          author={author ?? undefined}
          description={description ?? undefined}
          terms={plan.terms}
          market={market}
          action={<Button aria-disabled>Order plan</Button>}
        />
      </section>
      <section aria-labelledby="preview-code" className="grid min-w-0 gap-2">
        <h2 id="preview-code" className="text-ink-2 text-label">
          API request
        </h2>
        <PlanSamples plan={plan} market={market} />
        {missing && (
          <p className="flex gap-1.5 text-ink-2 text-note">
            <Icon name="info" className="mt-px size-4" />
            <span>{missing}</span>
          </p>
        )}
      </section>
    </div>
  );
}

function PlanSamples({ plan, market }: { plan: PlanToCreate; market: Market }) {
  const { payload } = plan;
  return (
    <CodeTabs
      label="API request"
      samples={[
        { language: "json", label: "JSON", code: jsonOf(payload) },
        { language: "js", label: "JavaScript", code: javascriptOf(plan, market) },
        { language: "python", label: "Python", code: pythonOf(payload, market) },
        { language: "curl", label: "cURL", code: curlOf(payload, market) },
      ]}
    />
  );
}
