"use client";

import { useTransition } from "react";
import type { ActionAnswer } from "../forms/action-answer.ts";
import { Button } from "../ui/button.tsx";
import { ButtonLink } from "../ui/button-link.tsx";
import type { Start } from "./checklist-steps.ts";

type RoleChoiceProps = { start: Start; choose: (start: Start) => Promise<ActionAnswer<void>> };

/** Asks a new account what it came for. Without an answer both checklists are shown; the answer is remembered. */
export function RoleChoice({ start, choose }: RoleChoiceProps) {
  const [isPending, begin] = useTransition();
  const button = (to: Start, label: string) => (
    <Button aria-disabled={isPending} onClick={() => begin(async () => void (await choose(to)))}>
      {label}
    </Button>
  );
  return (
    <section aria-labelledby="start" className="mb-6 grid gap-3">
      <h2 id="start" className="text-h2">
        {start === "both" ? "What do you want to do first?" : START_TEXT[start]}
      </h2>
      <div className="flex flex-wrap gap-2">
        {start !== "builder" && button("builder", "Sell access to an agent")}
        {start !== "subscriber" && button("subscriber", "Pay for agents")}
        {start !== "both" && button("both", "Show both")}
        <ButtonLink href="/playground" look="quiet">
          Just test
        </ButtonLink>
      </div>
    </section>
  );
}

const START_TEXT = {
  builder: "Sell access to your agent",
  subscriber: "Pay for other people’s agents",
};
