"use client";

import { type ReactNode, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { SidePanel } from "../../ui/overlays/side-panel.tsx";
import { priceWords } from "../describe-plan.ts";
import type { Market } from "../market.ts";
import type { PlanToCreate } from "./payload-of-draft.ts";

type BuilderSummaryProps = { plan: PlanToCreate | null; market: Market; children: ReactNode };

/** On narrow screens: one line about the plan, and a sheet with its preview. */
export function BuilderSummary({ plan, market, children }: BuilderSummaryProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="sticky top-12 z-5 -mx-(--gutter) flex items-center gap-3 border-line border-y bg-bg px-(--gutter) py-1.5 lg:hidden">
      <p className="min-w-0 flex-1 truncate text-note">
        {plan ? (
          <>
            <span className="font-medium">{plan.payload.metadataAttributes.name}</span>{" "}
            <span className="text-ink-2 tabular-nums">{priceWords(plan.terms.price, market)}</span>
          </>
        ) : (
          <span className="text-ink-2">Incomplete</span>
        )}
      </p>
      <Button size="small" onClick={() => setOpen(true)}>
        Preview
      </Button>
      <SidePanel isOpen={isOpen} onOpenChange={setOpen} title="Preview">
        <div className="p-4">{children}</div>
      </SidePanel>
    </div>
  );
}
