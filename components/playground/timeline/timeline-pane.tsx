import type { ReactNode } from "react";
import { describeOutcome } from "@/lib/playground/outcomes.ts";
import { type Run, STEPS, type StepId, type StepResult } from "@/lib/playground/run.ts";
import { formatCount } from "@/lib/text/plural.ts";
import { Button } from "../../ui/button.tsx";
import { StepTimeline } from "../../ui/data/step-timeline.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Rule, type RuleBar, type RuleLook } from "../../ui/rule.tsx";
import { HttpStatus } from "../../ui/values/http-status.tsx";
import { Tag } from "../../ui/values/tag.tsx";
import { type InspectorView, openingOf } from "../inspector/inspector-view.ts";
import { PaymentApproval } from "../later-parts.ts";
import type { Approval } from "../run/use-run.ts";
import { isOpenMoney, RunBanner } from "./run-banner.tsx";

export type TimelinePaneProps = {
  run: Run | null;
  isRunning: boolean;
  progress: string;
  /** A payment by `exact` that waits for the user's signature. */
  approval?: Approval | null;
  failure: string;
  /** The step the inspector shows, and its tab there. */
  opened: StepId;
  view: InspectorView;
  onOpen: (id: StepId, view: InspectorView) => void;
  /** The button for the run's outcome. */
  action: ReactNode;
};

/** The payment status of a run, and its six steps. */
export function TimelinePane(props: TimelinePaneProps) {
  const {
    run,
    isRunning,
    progress,
    approval = null,
    failure,
    opened,
    view,
    onOpen,
    action,
  } = props;
  const steps = run?.steps ?? [];
  const results = STEPS.map(({ id, title }) => ({
    id,
    title,
    result: steps.find((step) => step.id === id),
  }));
  const total = steps.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const hasBanner = run !== null && !isRunning && !failure;
  const isWorking = steps.some(({ status }) => status === "running");
  return (
    <section aria-label="Timeline" className="min-w-0">
      {failure && (
        <div className="p-4" role="alert">
          <Notice tone="refused" title="The run failed">
            {failure}
          </Notice>
        </div>
      )}
      {run && (hasBanner || total > 0) && (
        <div
          className={`grid gap-4 border-line border-b px-4 py-4 ${hasBanner && isOpenMoney(run) ? "bg-tint-unsettled" : ""}`}
        >
          {hasBanner && <RunBanner run={run} action={action} />}
          {total > 0 && (
            <Rule label={`Six steps, ${total} ms`} bars={barsOf(steps)} unit="ms" atLeast={100} />
          )}
        </div>
      )}
      <StepTimeline
        label="Steps of the exchange"
        isNumbered
        className="rounded-none border-0 border-b"
        steps={results.map(({ id, title, result }, index) => ({
          key: id,
          title,
          status: result?.status ?? "idle",
          isChallenge: result?.outcome === "challenged",
          verdict: verdictOf(result, progress),
          badge: <Badge result={result} />,
          time:
            result && result.durationMs > 0 ? `${formatCount(result.durationMs)} ms` : undefined,
          testId: `pg-step-${index + 1}`,
          outcome: result?.outcome ?? "",
          reason: result?.reason ?? "",
          // While a run is under way, its current step is marked instead.
          isOpen: run !== null && !isWorking && opened === id,
          actions: (
            <StepButtons
              name={`step ${index + 1}, ${title}`}
              opening={run && openingOf(run, id)}
              pressed={run && opened === id ? view : null}
              onOpen={(next) => onOpen(id, next)}
            />
          ),
          ...(id === "permission" && paymentParts(run, approval)),
        }))}
      />
      <p role="status" className="sr-only">
        {announce(results, isRunning)}
      </p>
    </section>
  );
}

/** How the third step differs where a payment is signed in place of a token. */
function paymentParts(run: Run | null, approval: Approval | null) {
  if (!run || !isPayment(run, approval)) return {};
  const title = "Sign the payment";
  if (!approval) return { title };
  return {
    title,
    verdict: "Read what you sign, then approve it. Nothing has been sent yet.",
    details: (
      <PaymentApproval.Part
        payment={approval.payment}
        payer={payerOf(run)}
        onAnswer={approval.answer}
      />
    ),
  };
}

/** Whether the run pays by `exact` instead of with a token. */
const isPayment = (run: Run | null, approval: Approval | null): boolean =>
  approval !== null ||
  run?.steps.some(({ outcome }) => outcome === "signed" || outcome === "not-approved") === true;

function payerOf({ input: { token } }: Run): "test" | "mint" | "wallet" {
  return token.kind === "test" || token.kind === "wallet" ? token.kind : "mint";
}

type StepButtonsProps = {
  name: string;
  /** The tab its exchange opens in; null when it has none. */
  opening: InspectorView | null;
  pressed: InspectorView | null;
  onOpen: (view: InspectorView) => void;
};

function StepButtons({ name, opening, pressed, onOpen }: StepButtonsProps) {
  const button = (label: string, view: InspectorView) => (
    <Button
      look="quiet"
      size="small"
      aria-pressed={pressed === view}
      aria-label={`${label} ${name}`}
      onClick={() => onOpen(view)}
      className="aria-pressed:text-accent"
    >
      {label}
    </Button>
  );
  return (
    <>
      {button("Explain", "explain")}
      {opening && button("Open", opening)}
    </>
  );
}

function Badge({ result }: { result: StepResult | undefined }) {
  if (!result?.outcome || result.status === "skipped") return null;
  const status = result.exchange?.answer?.status;
  if (status) return <HttpStatus status={status} />;
  return <Tag>{describeOutcome(result.outcome, result.values).word}</Tag>;
}

function verdictOf(result: StepResult | undefined, progress: string): string | undefined {
  if (result?.status === "running") return progress || "Running…";
  if (!result?.outcome) return undefined;
  return describeOutcome(result.outcome, result.values).verdict;
}

const LOOKS: Record<StepId, RuleLook> = {
  ask: "challenged",
  offer: "plain",
  permission: "plain",
  verify: "plain",
  pay: "work",
  settle: "settled",
};

function barsOf(steps: readonly StepResult[]): RuleBar[] {
  let at = 0;
  return steps.flatMap(({ id, durationMs, status }) => {
    const from = at;
    at += durationMs;
    if (durationMs === 0) return [];
    const look = status === "error" ? "refused" : status === "warn" ? "unsettled" : LOOKS[id];
    return [{ key: id, from, to: at, look }];
  });
}

function announce(
  results: readonly { title: string; result: StepResult | undefined }[],
  isRunning: boolean,
): string {
  if (!isRunning) return "";
  const at = results.findIndex(({ result }) => result?.status === "running");
  const [number, step] = at < 0 ? [1, results[0]] : [at + 1, results[at]];
  return `Step ${number} of 6, ${step?.title ?? ""}`;
}
