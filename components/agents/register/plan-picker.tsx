"use client";

import Link from "next/link";
import { pluralWord } from "@/lib/text/plural.ts";
import { ButtonLink } from "../../ui/button-link.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Checkbox } from "../../ui/fields/checkbox.tsx";
import { Tag } from "../../ui/values/tag.tsx";
import type { PlanChoice } from "../agent-types.ts";

/** Selects the plans that callers can buy to pay for the agent. */
export function PlanPicker({
  plans,
  chosen,
  onToggle,
  newPlanHref,
  fault,
}: {
  plans: readonly PlanChoice[];
  chosen: readonly string[];
  onToggle: (planId: string) => void;
  newPlanHref: string;
  fault?: string | undefined;
}) {
  if (plans.length === 0) {
    return (
      <Empty
        kind="first"
        title="No plans yet"
        actions={<ButtonLink href={newPlanHref}>New plan</ButtonLink>}
      >
        Callers buy a plan to pay for this agent. Your draft is kept while you create one.
      </Empty>
    );
  }
  return (
    <fieldset className="grid min-w-0 gap-2">
      <legend className="mb-1.5 text-label">Plans that pay for this agent</legend>
      {plans.map(({ planId, name, price, credits, isDraft }) => (
        <Checkbox
          key={planId}
          className="rounded-card border border-line px-3 py-2.5 has-checked:border-accent has-checked:bg-tint-accent"
          checked={chosen.includes(planId)}
          onChange={() => onToggle(planId)}
          label={
            <span className="wrap-anywhere flex flex-wrap items-center gap-x-2 font-medium">
              {name}
              {isDraft && <Tag>Draft</Tag>}
            </span>
          }
          hint={`${price}. ${credits} ${pluralWord(Number(credits), "credit")} per call.`}
        />
      ))}
      {fault && (
        <p role="alert" className="text-note">
          {fault}
        </p>
      )}
      <p className="mt-1 text-note">
        <Link className="link inline-flex min-h-6 items-center" href={newPlanHref}>
          New plan
        </Link>{" "}
        <span className="text-ink-2">Your draft is kept while you create one.</span>
      </p>
    </fieldset>
  );
}
