import {
  confirmationText,
  creditsText,
  type DoctorReport,
  type PaidQuote,
} from "@/lib/probe/report/report.ts";
import { Notice } from "../ui/notice.tsx";
import { ConfirmDialog } from "../ui/overlays/dialog.tsx";
import { DialogButton } from "../ui/overlays/dialog-button.tsx";

type PossibleQuote = Extract<PaidQuote, { isPossible: true }>;

type PaidOfferProps = {
  report: DoctorReport;
  onConfirm: (quote: PossibleQuote) => void;
};

/** Offers paid checks, or shows what they used. They run only after the maximum cost is confirmed. */
export function PaidOffer({ report, onConfirm }: PaidOfferProps) {
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
    <Notice
      tone="info"
      title={
        paid
          ? `Paid checks used ${creditsText(paid.creditsUsed)} of “${paid.planName}”.`
          : "Ten more checks call the endpoint with a valid token."
      }
      action={
        <DialogButton
          dialog={(onClose) => (
            <ConfirmDialog
              onClose={onClose}
              title="Run paid checks?"
              description={asked}
              look="primary"
              verb="Run paid checks"
              safe="Cancel"
              effects={[
                {
                  icon: "lock",
                  title: "Access tokens are minted for these calls only",
                  detail: "They can’t order plans or make other calls, and are revoked at the end.",
                },
                {
                  icon: "alert",
                  title: "In the sandbox, one settlement fails on purpose",
                  detail:
                    "During that call, no call in the sandbox settles. The fault is removed right after.",
                },
              ]}
              onConfirm={() => {
                onClose();
                onConfirm(quote);
              }}
            />
          )}
        >
          {paid ? "Run paid checks again" : "Run paid checks"}
        </DialogButton>
      }
    >
      {paid ? paidText(paid, quote.isTest) : asked}
    </Notice>
  );
}

/** The agreed maximum, and a note when the balance changed by more or less than the checks used. */
function paidText(
  { maxCredits, creditsUsed, balanceMoved }: NonNullable<DoctorReport["paid"]>,
  isTest = false,
) {
  if (isTest)
    return "Your test customer paid. Nothing remains: its permissions ended with the run.";
  const agreed = `You agreed to at most ${creditsText(maxCredits)}.`;
  if (balanceMoved === creditsUsed) return agreed;
  const moved = BigInt(balanceMoved);
  const words = moved < 0n ? `rose by ${creditsText(-moved)}` : `fell by ${creditsText(moved)}`;
  return `${agreed} Meanwhile your balance ${words}. Activity shows the other calls and orders.`;
}
