"use client";

import type { Receipt } from "@turnpike/payments/protocol";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { TextAreaField } from "../ui/fields/text-field.tsx";
import { Notice } from "../ui/notice.tsx";
import { notVerified, type SignatureOutcome } from "./signature-outcome.ts";

const TONES = { true: "settled", false: "refused", null: "unknown" } as const;

/** Verifies signed receipts in this browser: this receipt's own, or one that someone pastes. */
export function SignatureCheck({ receipt }: { receipt: Receipt }) {
  const [pasted, setPasted] = useState("");
  const [isPending, setIsPending] = useState(false);
  const [outcomes, setOutcomes] = useState<SignatureOutcome[]>([]);
  const check = async () => {
    setIsPending(true);
    try {
      const { verifySignatures } = await import("./verify-signature.ts");
      setOutcomes(await verifySignatures(receipt, pasted));
    } catch {
      setOutcomes([notVerified("The check could not be loaded.")]);
    } finally {
      setIsPending(false);
    }
  };
  return (
    <Card>
      <div className="grid gap-3">
        <h3 className="text-h3">Signature</h3>
        <p className="max-w-[68ch] text-ink-2">
          Turnpike signs receipts of agents whose seller has proved their domain, using x402’s
          offer-receipt extension. Your browser verifies the signature with the published keys;
          nothing you paste leaves it. On the command line, where the package is installed:{" "}
          <code>npx --no turnpike check-receipt FILE</code>.
        </p>
        <TextAreaField
          label={receipt.signed ? "Another receipt (optional)" : "Signed receipt"}
          hint="A signed receipt, or the payment-response header it came in."
          isMono
          value={pasted}
          onChange={(event) => setPasted(event.target.value)}
        />
        <div>
          <Button look="plain" onClick={check} isPending={isPending}>
            Verify signature
          </Button>
        </div>
        <div role="status" className="grid gap-3">
          {outcomes.map(({ key, isValid, title, text }) => (
            <Notice key={key} tone={TONES[`${isValid}`]} title={title}>
              {text}
            </Notice>
          ))}
        </div>
      </div>
    </Card>
  );
}
