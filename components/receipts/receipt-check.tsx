"use client";

import type { Receipt } from "@turnpike/payments/protocol";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Icon } from "../ui/icon.tsx";
import { Notice } from "../ui/notice.tsx";
import type { BurnEvent, Comparison } from "./verify-proof.ts";

type Outcome =
  | { kind: "none" }
  | { kind: "running" }
  | { kind: "failed"; message: string }
  | { kind: "done"; comparisons: Comparison[]; burns: BurnEvent[] };

type Proof = NonNullable<Receipt["proof"]>;

/** Computes the receipt's proof in this browser and compares it with the event on chain. */
export function ReceiptCheck({ receipt, proof }: { receipt: Receipt; proof: Proof }) {
  const [outcome, setOutcome] = useState<Outcome>({ kind: "none" });
  const check = async () => {
    setOutcome({ kind: "running" });
    try {
      const [{ checkReceipt }, burns] = await Promise.all([
        import("./verify-proof.ts"),
        readBurns(receipt.settlementId),
      ]);
      setOutcome({ kind: "done", comparisons: checkReceipt(receipt, proof, burns), burns });
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      setOutcome({ kind: "failed", message });
    }
  };
  return (
    <Card isPadded={false}>
      <div className="grid gap-3 p-(--card-pad)">
        <h3 className="text-h3">Proof on chain</h3>
        <p className="max-w-[68ch] text-ink-2">
          Your browser hashes the receipt’s ID and credits, follows the proof to its root, and looks
          for that root in the burn event on chain. Turnpike reads that event for this page; the
          command below reads it from the chain without Turnpike.
        </p>
        <div>
          <Button look="primary" onClick={check} isPending={outcome.kind === "running"}>
            Verify receipt
          </Button>
        </div>
      </div>
      <div role="status">
        {outcome.kind === "failed" && (
          <div className="px-(--card-pad) pb-(--card-pad)">
            <Notice tone="unknown" title="The receipt could not be verified">
              {outcome.message} The receipt may still be valid. Try again.
            </Notice>
          </div>
        )}
        {outcome.kind === "done" && <Comparisons comparisons={outcome.comparisons} />}
      </div>
    </Card>
  );
}

async function readBurns(settlementId: string): Promise<BurnEvent[]> {
  const response = await fetch(`/receipts/${encodeURIComponent(settlementId)}/burns`);
  if (!response.ok) throw new Error("The chain did not respond.");
  const { burns } = (await response.json()) as { burns: BurnEvent[] };
  return burns;
}

function Comparisons({ comparisons }: { comparisons: Comparison[] }) {
  const faults = comparisons.filter(({ holds }) => !holds).length;
  return (
    <>
      <div className="border-line border-t px-(--card-pad) py-4">
        {faults === 0 ? (
          <Notice tone="settled" title="The receipt is valid">
            A burn on chain includes this receipt.
          </Notice>
        ) : (
          <Notice tone="refused" title="The receipt is not valid">
            {faults} of {comparisons.length} checks failed. Do not rely on this receipt.
          </Notice>
        )}
      </div>
      <ol aria-label="Checks">
        {comparisons.map(({ key, title, mine, theirs, holds }) => (
          <li
            key={key}
            data-comparison={key}
            data-holds={holds}
            className="grid grid-cols-[20px_minmax(0,1fr)] gap-x-3 gap-y-1.5 border-line border-t px-(--card-pad) py-3"
          >
            <Icon
              name={holds ? "check" : "cross"}
              className={`mt-px size-4.5 ${holds ? "text-settled" : "text-refused"}`}
            />
            <h3 className="text-body font-medium">
              <span className="sr-only">{holds ? "Passed: " : "Failed: "}</span>
              {title}
            </h3>
            <dl className="col-start-2 grid grid-cols-[minmax(0,max-content)_minmax(0,1fr)] gap-x-3 gap-y-0.5 text-note">
              <dt className="text-ink-2">Computed</dt>
              <dd className="wrap-anywhere font-mono text-small">{mine}</dd>
              <dt className="text-ink-2">{key === "leaf" || key === "root" ? "Proof" : "Chain"}</dt>
              <dd className="wrap-anywhere font-mono text-small">{theirs}</dd>
            </dl>
          </li>
        ))}
      </ol>
    </>
  );
}
