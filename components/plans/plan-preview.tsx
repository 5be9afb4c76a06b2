"use client";

import { Button } from "../ui/button.tsx";
import { CodeTabs } from "../ui/code-tabs.tsx";
import { Icon } from "../ui/icon.tsx";
import type { Market } from "./market.ts";
import type { PlanPayload } from "./payload-of-draft.ts";
import { curlOf, jsonOf, pythonOf, typescriptOf } from "./plan-code.ts";
import { termsOfPayload } from "./plan-terms.ts";
import { TermsCard } from "./terms-card.tsx";

type PlanPreviewProps = {
  payload: PlanPayload | null;
  market: Market;
  /** What is still wrong or missing, in a sentence; the payload then has defaults in its place. */
  missing?: string | undefined;
};

/** The plan as subscribers will see it, and what is sent for it. */
export function PlanPreview({ payload, market, missing }: PlanPreviewProps) {
  if (!payload) {
    return (
      <p className="rounded-card border border-line p-4 text-ink-2">
        The preview comes back when the fields can be read.
      </p>
    );
  }
  const { name, author, description } = payload.metadataAttributes;
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
          terms={termsOfPayload(payload)}
          market={market}
          action={<Button aria-disabled>Order plan</Button>}
        />
      </section>
      <section aria-labelledby="preview-code" className="grid min-w-0 gap-2">
        <h2 id="preview-code" className="text-ink-2 text-label">
          What is sent
        </h2>
        <PlanSamples payload={payload} market={market} />
        {missing && (
          <p className="flex gap-1.5 text-ink-2 text-note">
            <Icon name="info" className="mt-px size-4" />
            <span>Not ready to send. {missing}</span>
          </p>
        )}
      </section>
    </div>
  );
}

/** The call that creates the plan, in four languages. */
function PlanSamples({ payload, market }: { payload: PlanPayload; market: Market }) {
  return (
    <CodeTabs
      label="What is sent"
      samples={[
        { language: "json", label: "JSON", code: jsonOf(payload) },
        { language: "ts", label: "TypeScript", code: typescriptOf(payload, market) },
        { language: "python", label: "Python", code: pythonOf(payload, market) },
        { language: "curl", label: "cURL", code: curlOf(payload, market) },
      ]}
    />
  );
}
