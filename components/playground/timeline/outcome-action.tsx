import { canParseUrl } from "@turnpike/payments/protocol";
import { DEFAULT_LIMIT_SECS, TIME_LIMITS } from "@/lib/playground/exchange.ts";
import type { ActionId } from "@/lib/playground/outcomes.ts";
import type { Run } from "@/lib/playground/run.ts";
import { activityHref } from "../../activity/filter/activity-filter.ts";
import { Button } from "../../ui/button.tsx";
import { ButtonLink } from "../../ui/button-link.tsx";
import { toast } from "../../ui/overlays/toast-store.ts";
import { fixPromptOf } from "../inspector/fix-prompt.ts";
import { limitText, type RequestDraft } from "../request/request-draft.ts";

type OutcomeActionProps = {
  action: ActionId | undefined;
  run: Run;
  isPrimary?: boolean;
  /** Runs again, with a change to the request. */
  onRun: (change: Partial<RequestDraft>) => void;
  /** Continues the run at the step that pays; null where it cannot: it is sent again instead. */
  onContinue: (() => void) | null;
  /** Where a visitor signs in, to come back to this run; null for someone signed in. */
  signInHref: string | null;
  onAddAuth: () => void;
};

/** What can be done about an outcome: one button, or two where the outcome has two causes. */
export function OutcomeAction(props: OutcomeActionProps) {
  const { action, run, isPrimary, onRun, onAddAuth } = props;
  if (!action) return null;
  const look = isPrimary ? ("primary" as const) : ("plain" as const);
  const link = action === "sign-in" ? signInLink(props) : LINKS[action]?.(run);
  if (link) {
    return (
      <ButtonLink look={look} href={link.href}>
        {link.label}
      </ButtonLink>
    );
  }
  const retry = RETRIES[action]?.(run);
  const button =
    action === "sign-in"
      ? { label: "Continue and pay", onClick: props.onContinue ?? (() => onRun({})) }
      : retry
        ? { label: retry.label, onClick: () => onRun(retry.change) }
        : action === "add-agent-auth"
          ? { label: "Add agent auth", onClick: onAddAuth }
          : action === "copy-fix-prompt"
            ? { label: "Copy fix prompt", onClick: () => void copyFixPrompt(run) }
            : null;
  if (!button) return null;
  return (
    <span className="flex flex-wrap gap-2">
      <Button look={look} onClick={button.onClick}>
        {button.label}
      </Button>
      {action === "mint-or-check-auth" && <Button onClick={onAddAuth}>Check agent auth</Button>}
    </span>
  );
}

type Link = { label: string; href: string };

const signInLink = ({ signInHref }: OutcomeActionProps): Link | null =>
  signInHref === null ? null : { label: "Sign in to pay", href: signInHref };

const checkout = (label: string) => (run: Run) => ({
  label,
  href: `/checkout/${run.planId ?? ""}`,
});
const link = (label: string, href: string) => () => ({ label, href });
const ACTIVITY = activityHref({ role: "subscriber", range: "24h", money: [] });
const requestHref = (id: string) => `/activity/${encodeURIComponent(id)}`;

const LINKS: Partial<Record<ActionId, (run: Run) => Link | null>> = {
  "order-plan": checkout("Order plan"),
  "buy-credits": checkout("Buy credits"),
  "new-delegation": link("New delegation", "/delegations/new"),
  "open-budgets": link("Open budgets", "/settings/budgets"),
  "add-card": link("Add card", "/payment-methods"),
  "open-reconcile": link("Open reconciliation", "/activity/reconcile"),
  "check-status": link("Check status", ACTIVITY),
  "open-receipt": ({ agentRequestId: id }) =>
    id ? { label: "Open receipt", href: requestHref(id) } : null,
  "check-settlement": ({ agentRequestId: id }) =>
    id
      ? { label: "Check settlement", href: requestHref(id) }
      : { label: "Open activity", href: ACTIVITY },
  "check-route": ({ input }) => ({
    label: "Open route check",
    href: `/doctor?url=${encodeURIComponent(input.url)}`,
  }),
};

type Retry = { label: string; change: Partial<RequestDraft> };

const mint =
  (label: string) =>
  ({ input }: Run): Retry => ({
    label,
    change: { token: { kind: input.token.kind === "test" ? "test" : "mint" } },
  });

/** Actions that run again with a change to the request. */
const RETRIES: Partial<Record<ActionId, (run: Run) => Retry | null>> = {
  "run-again": () => ({ label: "Run again", change: {} }),
  "run-from-server": () => ({ label: "Run from server", change: { from: "server" } }),
  "mint-again": mint("Mint new token"),
  "mint-or-check-auth": mint("Mint new token"),
  "mint-same": mint("Mint new token"),
  "mint-for-agent": mint("Mint for this agent"),
  "use-plan-token": (run) => mint(`Use a “${run.planName}” token`)(run),
  "run-from-browser": () => ({ label: "Run from browser", change: { from: "browser" } }),
  "wait-longer": ({ input: { limitSecs = DEFAULT_LIMIT_SECS } }) => {
    const next = TIME_LIMITS.find((limit) => limit > limitSecs);
    return next === undefined
      ? { label: "Run again", change: {} }
      : { label: `Run with ${limitText(next)}`, change: { limitSecs: next } };
  },
  "open-location": ({ steps, input }) => {
    const location = steps[0]?.values.location ?? "";
    if (!canParseUrl(location, input.url)) return null;
    return { label: "Use this address", change: { url: new URL(location, input.url).href } };
  },
};

const copyFixPrompt = (run: Run) =>
  navigator.clipboard.writeText(fixPromptOf(run)).then(
    () => toast("Fix prompt copied"),
    () => toast("The browser blocked copying", { tone: "bad" }),
  );
