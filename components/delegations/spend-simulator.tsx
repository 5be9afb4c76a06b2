"use client";

import { useState } from "react";
import { plural } from "@/lib/text/plural.ts";
import { DefinitionList } from "../ui/data/definition-list.tsx";
import { durationText } from "../ui/fields/duration-text.ts";
import { Field } from "../ui/fields/field.tsx";
import { Select } from "../ui/fields/select.tsx";
import { TextField } from "../ui/fields/text-field.tsx";
import { groupDigits, minorText } from "../ui/values/money-text.ts";
import { momentText } from "./delegation-text.ts";
import {
  type Forecast,
  type PerCall,
  perCallOf,
  type SpendLimits,
  simulateSpend,
} from "./simulate-spend.ts";

/** A plan as the simulator needs it; amounts as decimal strings. */
export type SimulatedPlan = {
  planId: string;
  name: string;
  credits: string;
  topUpCredits: string;
  topUpCents: string;
  creditsPerCall: string;
};

type SpendSimulatorProps = {
  plans: SimulatedPlan[];
  limits: SpendLimits;
  currency: string;
  now: string;
};

/** How long a delegation lasts at a rate of calls, and which limit is reached first. */
export function SpendSimulator({ plans, limits, currency, now }: SpendSimulatorProps) {
  const [planId, setPlanId] = useState(plans[0]?.planId);
  const plan = plans.find((each) => each.planId === planId) ?? plans[0];
  const [perDay, setPerDay] = useState("100");
  const [typed, setTyped] = useState<PerCall>();
  if (!plan) {
    return (
      <p className="text-ink-2">
        Order a plan with credits first to see how long its top-ups last.
      </p>
    );
  }
  const perCall = perCallOf(plan, typed);
  const isRead = WHOLE.test(perDay) && WHOLE.test(perCall);
  const forecast = isRead
    ? simulateSpend(
        {
          callsPerDay: BigInt(perDay),
          creditsPerCall: BigInt(perCall),
          credits: BigInt(plan.credits),
          topUpCredits: BigInt(plan.topUpCredits),
          topUpCents: BigInt(plan.topUpCents),
        },
        limits,
      )
    : null;
  return (
    <div className="grid gap-4">
      <div className="grid gap-4 sm:grid-cols-3">
        <CountField label="Calls per day" value={perDay} onChange={setPerDay} />
        <CountField
          label="Credits per call"
          value={perCall}
          onChange={(text) => setTyped({ planId: plan.planId, text })}
        />
        <Field label="Top-up">
          <Select
            value={plan.planId}
            onValueChange={setPlanId}
            options={plans.map((each) => ({
              value: each.planId,
              label: each.name,
              note: `${plural(BigInt(each.topUpCredits), "credit")} for ${minorText(each.topUpCents, currency)}`,
            }))}
          />
        </Field>
      </div>
      <div aria-live="polite" className="grid gap-3">
        <p className="text-h3">{forecast ? wordsOf(forecast, now) : "Fix the field above."}</p>
        {forecast && (
          <DefinitionList
            look="split"
            className="border-line border-y"
            items={{
              "Calls until then": groupDigits(forecast.calls),
              "Credits left now": groupDigits(plan.credits),
              "Top-ups": groupDigits(forecast.topUps),
              Spent: minorText(forecast.spentCents, currency),
            }}
          />
        )}
        <p className="text-ink-2 text-note">
          Assumes an even rate of calls. Each top-up is paid in full.
        </p>
      </div>
    </div>
  );
}

const WHOLE = /^\d{1,9}$/;

type CountFieldProps = { label: string; value: string; onChange: (value: string) => void };

function CountField({ label, value, onChange }: CountFieldProps) {
  return (
    <TextField
      label={label}
      error={WHOLE.test(value) ? undefined : "Enter a whole number."}
      inputMode="numeric"
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

const ENDS = {
  money: "the spending limit is reached",
  charges: "the maximum number of charges is reached",
  time: "it expires",
  nothing: "it expires",
} as const;

function wordsOf({ endsBy, afterSecs }: Forecast, now: string): string {
  const end = new Date(Date.parse(now) + afterSecs * 1_000);
  const at = momentText(end.toISOString(), new Date(now));
  if (afterSecs < 1) return `Stops immediately: ${ENDS[endsBy]}.`;
  return `Lasts ${durationText(afterSecs)}: ${ENDS[endsBy]} ${at} UTC.`;
}
