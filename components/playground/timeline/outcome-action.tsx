"use client";

import type { ActionId } from "@/lib/playground/outcomes.ts";
import type { Run } from "@/lib/playground/run.ts";
import { Button } from "../../ui/button.tsx";
import { ButtonLink } from "../../ui/button-link.tsx";
import { toast } from "../../ui/overlays/toast-store.ts";
import { fixPromptOf } from "../inspector/fix-prompt.ts";

type OutcomeActionProps = {
  action: ActionId | undefined;
  run: Run;
  isPrimary?: boolean;
  onRunAgain: () => void;
  onFromServer: () => void;
  onUseUrl: (url: string) => void;
  onMint: () => void;
  onAddAuth: () => void;
};

/** What can be done about an outcome: one button, or two where the outcome has two causes. */
export function OutcomeAction({ action, run, isPrimary, ...on }: OutcomeActionProps) {
  const look = isPrimary ? ("primary" as const) : ("plain" as const);
  const planId = run.planId ?? "";
  const link = (label: string, href: string) => (
    <ButtonLink look={look} href={href}>
      {label}
    </ButtonLink>
  );
  const button = (label: string, onClick: () => void) => (
    <Button look={look} onClick={onClick}>
      {label}
    </Button>
  );
  switch (action) {
    case "order-plan":
      return link("Order plan", `/checkout/${planId}`);
    case "buy-credits":
      return link("Buy credits", `/checkout/${planId}`);
    case "new-delegation":
      return link("New delegation", "/delegations/new");
    case "add-card":
      return link("Add card", "/payment-methods");
    case "sign-in":
      return link("Sign in", "/sign-in?next=/playground");
    case "open-reconcile":
      return link("Open reconcile", "/activity/reconcile");
    case "open-receipt":
      return run.agentRequestId
        ? link("Open receipt", `/activity/${encodeURIComponent(run.agentRequestId)}`)
        : null;
    case "check-settlement":
      return run.agentRequestId
        ? link("Check settlement", `/activity/${encodeURIComponent(run.agentRequestId)}`)
        : link("Open activity", "/activity?role=subscriber");
    case "check-status":
      return link("Check status", "/activity?role=subscriber");
    case "check-route":
      return link("Open route check", `/doctor?url=${encodeURIComponent(run.input.url)}`);
    case "run-from-server":
      return button("Run from the server", on.onFromServer);
    case "add-agent-auth":
      return button("Add agent auth", on.onAddAuth);
    case "open-location": {
      const location = run.steps[0]?.values.location ?? "";
      const target = URL.canParse(location, run.input.url)
        ? new URL(location, run.input.url).href
        : null;
      return target ? button("Use that address", () => on.onUseUrl(target)) : null;
    }
    case "mint-again":
      return button("Mint a new token", on.onMint);
    case "mint-or-check-auth":
      return (
        <span className="flex flex-wrap gap-2">
          {button("Mint again", on.onMint)}
          <Button onClick={on.onAddAuth}>Check agent auth</Button>
        </span>
      );
    case "mint-same":
      return button("Mint again with same options", on.onMint);
    case "use-plan-token":
      return button(`Use a ‘${run.planName}’ token`, on.onMint);
    case "mint-for-agent":
      return button("Mint for this agent", on.onMint);
    case "copy-fix-prompt":
      return button("Copy fix prompt", () => {
        navigator.clipboard.writeText(fixPromptOf(run)).then(
          () => toast("Fix prompt copied"),
          () => toast("The browser refused to copy", { tone: "bad" }),
        );
      });
    case "run-again":
      return button("Run again", on.onRunAgain);
    default:
      return null;
  }
}
