"use client";

import { useState } from "react";
import {
  confirmationText,
  creditsText,
  type DoctorReport,
  type PaidQuote,
} from "@/lib/probe/report/report.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { ConfirmDialog } from "../ui/overlays/dialog.tsx";

type PossibleQuote = Extract<PaidQuote, { isPossible: true }>;

/** What paid checks were or would be; they run only after a question that names the most they can use. */
export function PaidOffer({
  report,
  onConfirm,
}: {
  report: DoctorReport;
  onConfirm: (quote: PossibleQuote) => void;
}) {
  const [isAsking, setAsking] = useState(false);
  const { quote, paid } = report;
  if (!quote.isPossible) {
    return (
      <Notice tone="neutral" title="Paid checks were not run.">
        {quote.why}
      </Notice>
    );
  }
  const asked = confirmationText(quote);
  return (
    <>
      <Notice
        tone="info"
        title={
          paid
            ? `Paid checks used ${creditsText(paid.creditsUsed)} of '${paid.planName}'.`
            : "Ten more checks call the endpoint with a token."
        }
        action={
          <Button onClick={() => setAsking(true)}>
            {paid ? "Run them again" : "Run paid checks"}
          </Button>
        }
      >
        {paid ? paidText(paid) : asked}
      </Notice>
      <ConfirmDialog
        isOpen={isAsking}
        onOpenChange={setAsking}
        title="Run paid checks?"
        description={asked}
        look="primary"
        verb="Run paid checks"
        safe="Do not run them"
        effects={[
          {
            icon: "lock",
            title: "Tokens are minted for these calls alone",
            detail:
              "They allow no orders and no more requests than that, and are revoked at the end.",
          },
          {
            icon: "alert",
            title: "In the sandbox one settlement is made to fail",
            detail:
              "For that one call nobody's calls are settled; the fault is taken back at once.",
          },
        ]}
        onConfirm={() => {
          setAsking(false);
          onConfirm(quote);
        }}
      />
    </>
  );
}

/** What was agreed to, and that something else used the plan where the balance moved by more or less. */
function paidText({ maxCredits, creditsUsed, balanceMoved }: NonNullable<DoctorReport["paid"]>) {
  const agreed = `At most ${creditsText(maxCredits)} were agreed to.`;
  if (balanceMoved === creditsUsed) return agreed;
  const moved = BigInt(balanceMoved);
  const words =
    moved < 0n ? `went up by ${creditsText(-moved)}` : `went down by ${creditsText(moved)}`;
  return `${agreed} Meanwhile the balance ${words}: see Activity for other calls and orders of the account.`;
}
