"use client";

import Link from "next/link";
import { ButtonLink } from "../ui/button-link.tsx";
import { Empty } from "../ui/empty.tsx";
import { Checkbox } from "../ui/fields/checkbox.tsx";
import { Tag } from "../ui/values/tag.tsx";
import type { PlanChoice } from "./agent-types.ts";

/** Which of one's plans pay for the agent. */
export function PlanPicker({
  plans,
  chosen,
  onToggle,
  newPlanHref,
}: {
  plans: readonly PlanChoice[];
  chosen: readonly string[];
  onToggle: (planId: string) => void;
  newPlanHref: string;
}) {
  if (plans.length === 0) {
    return (
      <Empty
        kind="first"
        title="No plans yet"
        actions={<ButtonLink href={newPlanHref}>New plan</ButtonLink>}
      >
        A plan is what callers buy to pay this agent. What you typed here waits for you.
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
          hint={`${price}. ${credits} ${credits === "1" ? "credit" : "credits"} a call.`}
        />
      ))}
      <p className="mt-1 text-note">
        <Link className="link inline-flex min-h-6 items-center" href={newPlanHref}>
          New plan
        </Link>{" "}
        <span className="text-ink-2">What you typed here waits for you.</span>
      </p>
    </fieldset>
  );
}
