import type { Rail } from "@/lib/playground/lab-places.ts";
import { Button } from "../../ui/button.tsx";
import { SegmentedControl } from "../../ui/fields/segmented-control.tsx";
import { Icon } from "../../ui/icon.tsx";
import { LiveButton } from "../../ui/live-button.tsx";
import { Spinner } from "../../ui/spinner.tsx";
import { FAULTS_OF } from "./faults-of.ts";
import type { FaultLab, FaultState, LabTarget } from "./use-fault-lab.ts";

const TARGETS = [
  { value: "crypto", label: "Crypto" },
  { value: "card", label: "Card" },
  { value: "exact", label: "Exact" },
  { value: "own", label: "Endpoint" },
];

const LAB =
  "Each fault runs for real against the failure lab’s agent and plans. Your test customer pays, and its permissions end with each run.";
const ABOUT: Record<LabTarget, string> = {
  crypto: LAB,
  card: LAB,
  exact:
    "Each fault runs for real against the failure lab’s seller. Your test customer pays by exact, and what left its account is read from the chain.",
  own: "Your test customer orders, calls, is refused and tops up at the endpoint above, with test money. Its permissions end with each run.",
};

const ONLY: Record<Rail, string> = { crypto: "on-chain only", card: "card only" };

type FaultsTabProps = { lab: FaultLab; isRunning: boolean };

/** The faults of the failure lab, and where they run. */
export function FaultsTab({ lab, isRunning }: FaultsTabProps) {
  const { target, isReady } = lab;
  const faults = FAULTS_OF[target];
  const isOff = isRunning || !isReady;
  return (
    <div className="grid gap-3">
      <p className="text-ink-2 text-note">{ABOUT[target]}</p>
      <div className="grid gap-1.5">
        <span className="text-label">Run against</span>
        <SegmentedControl
          label="Run against"
          options={TARGETS}
          value={target}
          isWide
          onValueChange={(next) => !isRunning && lab.setTarget(next as LabTarget)}
        />
      </div>
      {!isReady && (
        <p className="text-note">
          Enter the endpoint’s plan ID under Options, or open a rehearsal from the plan’s page.
        </p>
      )}
      <Button
        data-testid="pg-faults-run"
        look={lab.chosen || isRunning ? "plain" : "primary"}
        size="big"
        aria-disabled={isOff}
        onClick={() => !isOff && void lab.runAll(faults)}
      >
        {target === "own" ? "Rehearse as customer" : `Run all ${faults.length} faults`}
      </Button>
      <ul aria-label="Faults" className="-mx-4 max-h-105 overflow-y-auto border-line border-y">
        {faults.map((fault) => (
          <li key={fault.id} className="border-line not-first:border-t">
            <LiveButton
              aria-disabled={isOff}
              aria-pressed={lab.current?.id === fault.id}
              onClick={() => !isOff && void lab.runOne(fault)}
              className="grid w-full grid-cols-[minmax(0,1fr)_20px] gap-x-3 px-4 py-2 text-start hover:bg-sunken/60 focus-visible:-outline-offset-2 aria-pressed:bg-tint-accent"
            >
              <span className="text-label">
                {fault.label}
                {"only" in fault && fault.only && (
                  <span className="font-normal text-ink-2 text-small">, {ONLY[fault.only]}</span>
                )}
              </span>
              <Mark {...lab.stateOf(fault)} />
              <span className="text-ink-2 text-small">{fault.does}</span>
            </LiveButton>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Mark({ state }: FaultState) {
  if (state === "running") return <Spinner className="size-4 border-2 text-accent" />;
  if (state === "idle") return <span />;
  const isFine = state === "as-expected";
  return (
    <span className={isFine ? "text-settled" : "text-refused"}>
      <Icon name={isFine ? "check" : "cross"} className="size-4.5" />
      <span className="sr-only">{isFine ? "As expected" : "Unexpected"}</span>
    </span>
  );
}
