import type { ReactNode } from "react";
import type { StoryStep } from "@/lib/playground/story-steps.ts";
import { HttpStatus } from "../ui/values/http-status.tsx";
import { Identifier } from "../ui/values/identifier.tsx";
import { MoneyStatus } from "../ui/values/money-status.tsx";
import type { Verdict } from "./paid-call-verdict.ts";

const EMPTY = <span className="text-ink-2">–</span>;

/** The receipt of the last run; empty lines before the first. */
export function ReceiptSlip({ steps, verdict }: { steps: StoryStep[]; verdict?: Verdict }) {
  const factsOf = (id: string) => steps.find((step) => step.id === id)?.facts ?? {};
  const answered = steps.find(({ id }) => id === "call")?.status;
  const receipt = factsOf("receipt");
  const balance = factsOf("balance");
  return (
    <section aria-labelledby="receipt-heading" data-testid="receipt" className="min-w-0">
      <h2 id="receipt-heading" className="mb-2.5 text-h3">
        Receipt
      </h2>
      <dl className="border-line border-t text-note">
        <Line name="Response">{answered ? <HttpStatus status={answered} /> : EMPTY}</Line>
        <Line name="Payment">
          {verdict?.money ? <MoneyStatus status={verdict.money} /> : (verdict?.word ?? EMPTY)}
        </Line>
        <Line name="Plan">{factsOf("order").plan ?? EMPTY}</Line>
        <Line name="Credits used" testId="credits-used">
          {receipt.creditsRedeemed ?? EMPTY}
        </Line>
        <Line name="Credits left" testId="credits-left">
          {receipt.remainingBalance ? (
            <span className="tabular-nums">
              {balance.before && (
                <span className="text-ink-2">
                  {balance.before} <span aria-hidden="true">→</span>
                  <span className="sr-only">before, now</span>{" "}
                </span>
              )}
              <b className="font-semibold">{receipt.remainingBalance}</b>
            </span>
          ) : (
            EMPTY
          )}
        </Line>
        <Line name="Transaction">
          {receipt.transaction ? (
            <Identifier value={receipt.transaction} name="transaction" />
          ) : receipt.creditsRedeemed ? (
            receipt.chainStatus === "none" ? (
              "none, settled in the ledger"
            ) : (
              "pending, settled in the ledger"
            )
          ) : (
            EMPTY
          )}
        </Line>
        <Line name="Request">
          {receipt.agentRequestId ? (
            <Identifier value={receipt.agentRequestId} name="request ID" />
          ) : (
            EMPTY
          )}
        </Line>
      </dl>
    </section>
  );
}

function Line({ name, testId, children }: { name: string; testId?: string; children: ReactNode }) {
  return (
    <div className="grid min-h-9 grid-cols-[104px_minmax(0,1fr)] items-center gap-3 border-line border-b py-1.5">
      <dt className="text-ink-2">{name}</dt>
      <dd data-testid={testId} className="wrap-anywhere min-w-0">
        {children}
      </dd>
    </div>
  );
}
