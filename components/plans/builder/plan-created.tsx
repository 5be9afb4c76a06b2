"use client";

import { useEffect, useRef } from "react";
import { Button } from "../../ui/button.tsx";
import { ButtonLink } from "../../ui/button-link.tsx";
import { Card } from "../../ui/card.tsx";
import { Icon } from "../../ui/icon.tsx";
import { CopyButton } from "../../ui/values/copy-button.tsx";

type PlanCreatedProps = {
  planId: string;
  name: string;
  state: "listed" | "unlisted" | "draft";
  onAnother: () => void;
};

const FOUND = {
  listed: "It is visible to everyone on Explore.",
  unlisted: "Only people with the link can see it.",
  draft: "It is a draft: only you can see it until you list it.",
};

/** Replaces the form once the plan is created: its id and the next steps. */
export function PlanCreated({ planId, name, state, onAnother }: PlanCreatedProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <Card className="grid gap-4" data-testid="plan-created">
      <div className="grid grid-cols-[20px_minmax(0,1fr)] gap-x-3 gap-y-1">
        <Icon name="check" className="mt-0.5 size-5 text-settled" />
        <h2 ref={heading} tabIndex={-1} className="wrap-anywhere text-h2 outline-none">
          Plan “{name}” is ready.
        </h2>
        <p className="col-start-2 text-ink-2">
          {FOUND[state]} Next, register the agent it pays for.
        </p>
      </div>
      <div className="flex min-w-0 items-center gap-2 rounded-control border border-line bg-sunken px-3 py-2">
        <span className="shrink-0 text-ink-2 text-label">Plan ID</span>
        <code data-plan-id className="wrap-anywhere min-w-0 flex-1 text-small">
          {planId}
        </code>
        <CopyButton text={planId} label="Copy plan id" />
      </div>
      <div className="flex flex-wrap gap-2">
        <ButtonLink look="primary" href={`/agents/new?plan=${planId}`}>
          Register an agent
        </ButtonLink>
        <ButtonLink href={`/plans/${planId}`}>Open plan page</ButtonLink>
        <ButtonLink href={`/playground?plan=${planId}`}>Test in playground</ButtonLink>
        <Button look="quiet" onClick={onAnother}>
          Create another
        </Button>
      </div>
    </Card>
  );
}
