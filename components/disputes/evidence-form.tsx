"use client";

import type { DisputeDetails } from "@turnpike/payments/protocol";
import { useState } from "react";
import type { OperationAction } from "../forms/action-answer.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { useOperation } from "../forms/use-operation.ts";
import { UnsavedGuard } from "../shell/leave-guard.tsx";
import { Button } from "../ui/button.tsx";
import { TextAreaField } from "../ui/fields/text-field.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { Section } from "../ui/page-header.tsx";

const MOST_CHARACTERS = 20_000;
const SUMMARY = "uncategorized_text";

type EvidenceFormProps = {
  dispute: DisputeDetails;
  canSubmit: boolean;
  submitEvidence: OperationAction<"submitEvidence">;
};

export function EvidenceForm({ dispute, canSubmit, submitEvidence }: EvidenceFormProps) {
  const { disputeId, evidence } = dispute;
  const composed = evidence.find(({ name }) => name === SUMMARY)?.text ?? "";
  const [summary, setSummary] = useState(composed);
  const operation = useOperation();
  const send = () =>
    operation.run(
      () => submitEvidence({ disputeId, ...(summary.trim() && { summary }) }),
      () => void toast("The bank has your evidence"),
    );
  return (
    <>
      {canSubmit && summary !== composed && <UnsavedGuard />}
      <Section
        id="summary"
        title="Summary for the bank"
        meta={canSubmit ? "Generated from the evidence. You can edit it." : undefined}
      >
        {canSubmit ? (
          <TextAreaField
            label="Summary"
            hint={`${summary.length} of 20,000 characters`}
            rows={6}
            maxLength={MOST_CHARACTERS}
            value={summary}
            onChange={(event) => setSummary(event.target.value)}
          />
        ) : (
          <p className="wrap-anywhere whitespace-pre-wrap">{composed}</p>
        )}
      </Section>
      {evidence
        .filter(({ name }) => name !== SUMMARY)
        .map(({ name, title, text }) => (
          <Section key={name} id={name} title={title}>
            <p className="wrap-anywhere max-h-96 overflow-y-auto whitespace-pre-wrap text-note">
              {text}
            </p>
          </Section>
        ))}
      {canSubmit && (
        <div className="mt-8 grid gap-3">
          <FailureNotice
            title="The evidence was not sent."
            unknown="You can submit it again, or reload the page to see whether the bank has it."
            of={operation}
          />
          <div className="flex flex-wrap items-center gap-3">
            <Button look="primary" isPending={operation.isPending} onClick={() => void send()}>
              Submit evidence
            </Button>
            <p className="text-ink-2 text-note">
              Evidence can be sent once. Card data and request contents are left out.
            </p>
          </div>
        </div>
      )}
    </>
  );
}
