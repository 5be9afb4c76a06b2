import type { ReactNode } from "react";
import { describeOutcome } from "@/lib/playground/outcomes.ts";
import type { Fact, Run, StepResult } from "@/lib/playground/run.ts";
import { Button } from "../../ui/button.tsx";
import { DefinitionList } from "../../ui/data/definition-list.tsx";
import { Icon } from "../../ui/icon.tsx";
import { toast } from "../../ui/overlays/toast-store.ts";
import { Identifier } from "../../ui/values/identifier.tsx";
import { Body } from "../inspector/exchange-tabs.tsx";
import { readHeaderOf } from "../inspector/inspector-view.ts";
import { Nothing } from "../inspector/nothing.tsx";

type ExplainProps = { run: Run; step: StepResult; action: ReactNode };

/** Explains how a step ended: what happened, why, by which rule, and what to do next. */
export function ExplainedStep({ run, step, action }: ExplainProps) {
  if (!step.outcome && step.exchange) return <Body exchange={step.exchange} />;
  if (!step.outcome) return <Nothing>This step has not run.</Nothing>;
  const { verdict, why, rule, spec, next } = describeOutcome(step.outcome, step.values);
  const header = step.id === "settle" ? readHeaderOf(run, step.id) : null;
  return (
    <div className="grid gap-5">
      <DefinitionList
        className="*:items-start"
        items={{
          Result: verdict,
          Why: why,
          Rule: (
            <>
              {rule} {spec !== "-" && <span className="text-ink-2">Spec {spec}.</span>}
            </>
          ),
          Next: <span className="whitespace-pre-line">{next}</span>,
        }}
      />
      {step.facts.length > 0 && <Facts facts={step.facts} />}
      {(action || header) && (
        <div className="flex flex-wrap gap-2">
          {header && <CopyHeader {...header} />}
          {action}
        </div>
      )}
      <p className="text-ink-2 text-small">
        <code className="text-small">{step.outcome}</code>
        {step.reason && step.reason !== step.outcome && (
          <>
            , reason <code className="text-small">{step.reason}</code>
          </>
        )}
      </p>
    </div>
  );
}

/** Addresses and transaction hashes: shortened, with a copy button. */
const HEX = /^0x[0-9a-f]{40,}$/i;

function Facts({ facts }: { facts: Fact[] }) {
  return (
    <div className="min-w-0">
      <h3 className="mb-1 text-h3">Values</h3>
      <ul>
        {facts.map(({ name, value, holds, note }) => (
          <li
            key={name}
            className="grid grid-cols-[minmax(0,5fr)_minmax(0,4fr)] gap-x-3 border-line border-t py-1.5 text-note last:border-b"
          >
            <span className="wrap-anywhere font-mono text-small leading-4.5">{name}</span>
            <span className="wrap-anywhere font-medium font-mono text-small leading-4.5">
              {HEX.test(value) ? <Identifier value={value} name={name} /> : value}
            </span>
            <span className="col-span-2 flex items-start gap-1.5 text-ink-2 text-small">
              <Icon
                name={holds === null ? "info" : holds ? "tick" : "cross"}
                className={`size-4 ${holds === null ? "" : holds ? "text-settled" : "text-refused"}`}
              />
              {note || "not checked"}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function CopyHeader({ name, value }: { name: string; value: string }) {
  const copy = () =>
    navigator.clipboard.writeText(value).then(
      () => toast(`${name} copied`),
      () => toast("The browser blocked copying", { tone: "bad" }),
    );
  return (
    <Button title={name} onClick={() => void copy()}>
      <Icon name="copy" className="size-3.5" />
      Copy header
    </Button>
  );
}
