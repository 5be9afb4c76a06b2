import type { Fault } from "@/lib/playground/exact-faults.ts";
import type { Ending } from "@/lib/playground/faults.ts";
import { usdcText } from "@/lib/playground/offer-cost.ts";
import { describeOutcome } from "@/lib/playground/outcomes.ts";
import { STEPS, stepNumber } from "@/lib/playground/run.ts";
import { plural } from "@/lib/text/plural.ts";
import { Cell, HeadCell, Table, TableBody, TableHead, TableRow } from "../../ui/data/table.tsx";
import { MoneyStatus } from "../../ui/values/money-status.tsx";
import { StatePill } from "../../ui/values/state-pill.tsx";
import { FAULTS_OF } from "../run/faults-of.ts";
import type { FaultLab, FaultState, LabTarget } from "../run/use-fault-lab.ts";

const TITLES: Record<LabTarget, string> = {
  crypto: "Failure lab, crypto plans",
  card: "Failure lab, card plans",
  exact: "Failure lab, exact",
  own: "Rehearsal",
};

export function FaultResults({ lab }: { lab: FaultLab }) {
  const { target } = lab;
  const faults = FAULTS_OF[target];
  const states = faults.map((fault) => lab.stateOf(fault).state);
  const shown = faults.filter((fault) => lab.isRunningAll || lab.stateOf(fault).state !== "idle");
  const ended = states.filter((state) => state !== "idle" && state !== "running").length;
  const asExpected = states.filter((state) => state === "as-expected").length;
  return (
    <section
      aria-labelledby="fault-results"
      data-testid="pg-faults"
      data-state={lab.isRunningAll ? "running" : "idle"}
      data-rail={target}
      data-ended={ended}
      data-as-expected={asExpected}
      className="border-line border-t"
    >
      <div className="flex min-h-11 flex-wrap items-center gap-x-3 px-4 py-2">
        <h2 id="fault-results" className="text-h3">
          {TITLES[target]}
        </h2>
        <p role="status" className="text-ink-2 text-note">
          {lab.isRunningAll
            ? `${ended} of ${faults.length} done`
            : `${asExpected} of ${ended} as expected`}
        </p>
      </div>
      <div className="border-line border-t">
        <Table caption="Expected and actual ending of each fault">
          <TableHead>
            <HeadCell>Fault</HeadCell>
            <HeadCell>Expected</HeadCell>
            <HeadCell>Actual</HeadCell>
            <HeadCell>Payment</HeadCell>
            <HeadCell>Result</HeadCell>
          </TableHead>
          <TableBody>
            {shown.map((fault) => (
              <Row key={fault.id} fault={fault} lab={lab} />
            ))}
          </TableBody>
        </Table>
      </div>
    </section>
  );
}

function Row({ fault, lab }: { fault: Fault; lab: FaultLab }) {
  const state = lab.stateOf(fault);
  const actual = "result" in state ? state.result.actual : null;
  return (
    <TableRow
      data-testid={`pg-fault-${fault.id}`}
      data-state={state.state}
      {...dataOf("expected", fault.expected)}
      {...dataOf("actual", actual)}
      isOpen={lab.current?.id === fault.id}
    >
      <Cell phone="title" className="font-medium">
        {fault.label}
      </Cell>
      <Cell label="Expected">
        <EndingText ending={fault.expected} />
      </Cell>
      <Cell label="Actual" phone="title">
        {actual ? <EndingText ending={actual} /> : <span className="text-ink-2">–</span>}
      </Cell>
      <Cell>{actual ? <MoneyStatus status={actual.money} /> : null}</Cell>
      <Cell phone="end">
        <Verdict state={state} />
      </Cell>
    </TableRow>
  );
}

/** Read by tests and scripts, so these names are stable. */
function dataOf(side: "expected" | "actual", ending: Ending | null): Record<string, string> {
  if (!ending) return {};
  return {
    [`data-${side}-step`]: String(stepNumber(ending.step)),
    [`data-${side}-outcome`]: ending.outcome,
    [`data-${side}-reason`]: ending.reason ?? "",
    [`data-${side}-money`]: ending.money,
    [`data-${side}-credits`]: ending.credits ?? "",
    [`data-${side}-paid`]: ending.paid ?? "",
  };
}

function EndingText({ ending }: { ending: Ending }) {
  return (
    <span className="font-mono text-small">
      {stepNumber(ending.step)} {ending.outcome}
    </span>
  );
}

/** The expected and actual ending of one fault, above the steps. */
export function FaultVerdict({ fault, state }: { fault: Fault; state: FaultState }) {
  const actual = "result" in state ? state.result.actual : null;
  return (
    <section
      aria-label={`Fault: ${fault.label}`}
      data-testid="pg-fault"
      data-state={state.state}
      className="grid gap-3 border-line border-b px-4 py-3"
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="text-h3">{fault.label}</h3>
        <Verdict state={state} />
        <p className="basis-full text-ink-2 text-note">{fault.does}</p>
      </div>
      <dl className="grid gap-3 sm:grid-cols-2">
        <Side term="Expected" ending={fault.expected} />
        <Side term="Actual" ending={actual} isFailed={state.state === "failed"} />
      </dl>
    </section>
  );
}

type SideProps = { term: string; ending: Ending | null; isFailed?: boolean };

function Side({ term, ending, isFailed }: SideProps) {
  return (
    <div className="min-w-0">
      <dt className="text-ink-2 text-small">{term}</dt>
      <dd className="grid justify-items-start gap-1">
        {ending ? (
          <>
            <span className="text-note">
              Step {stepNumber(ending.step)},{" "}
              {STEPS.find(({ id }) => id === ending.step)?.title.toLowerCase()}:{" "}
              {describeOutcome(ending.outcome, {}).word || "answered"}
            </span>
            <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
              <MoneyStatus status={ending.money} />
              <code className="text-ink-2 text-small">{ending.reason ?? ending.outcome}</code>
              {ending.credits !== null && (
                <span className="text-ink-2 text-small">
                  {plural(BigInt(ending.credits), "credit")} used
                </span>
              )}
              {ending.paid && (
                <span className="text-ink-2 text-small">
                  {usdcText(BigInt(ending.paid))} USDC paid
                </span>
              )}
            </span>
          </>
        ) : (
          <span className="text-ink-2 text-note">
            {isFailed ? "The fault could not be produced." : "Running…"}
          </span>
        )}
      </dd>
    </div>
  );
}

function Verdict({ state }: { state: FaultState }) {
  if (state.state === "running") return <StatePill tone="running">Running</StatePill>;
  if (state.state === "as-expected") return <StatePill tone="good">As expected</StatePill>;
  if (state.state === "differs") return <StatePill tone="bad">Unexpected</StatePill>;
  if (state.state === "failed") return <StatePill tone="bad">Not produced</StatePill>;
  return <StatePill tone="neutral">Not run</StatePill>;
}
