"use client";

import { canParseUrl } from "@turnpike/payments/protocol";
import { type FormEvent, useState } from "react";
import type { Preset } from "../playground/request/preset.ts";
import { PresetField } from "../playground/request/preset-field.tsx";
import { METHODS } from "../playground/request/request-draft.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { ShareBar } from "../ui/data/share-bar.tsx";
import { Empty } from "../ui/empty.tsx";
import { Field } from "../ui/fields/field.tsx";
import { Joined, UnitSelect } from "../ui/fields/money-input.tsx";
import { TextAreaField } from "../ui/fields/text-field.tsx";
import { TextInput } from "../ui/fields/text-input.tsx";
import { Notice } from "../ui/notice.tsx";
import { PaidOffer } from "./paid-offer.tsx";
import { ReportView } from "./report-view.tsx";
import { type DoctorInput, type DoctorProgress, useDoctor } from "./use-doctor.ts";

export type DoctorProps = {
  verb: string;
  url: string;
  /** Endpoints to choose from: the demo agent's and the account's own. */
  presets: Preset[];
};

type Target = { verb: string; url: string; sample: string };

const targetFault = (url: string): string | undefined =>
  canParseUrl(url) && /^https?:$/.test(new URL(url).protocol)
    ? undefined
    : "Enter the full URL, starting with https:// or http://.";

/** The input of a run: a body goes only with methods that send one. */
const inputOf = ({ verb, url, sample }: Target): DoctorInput => ({
  verb,
  url,
  ...(["POST", "PUT", "PATCH"].includes(verb) && sample.trim() !== "" && { sample }),
});

/** Examines an endpoint and shows the report. Runs only on request, and asks again before paid checks. */
export function Doctor({ verb, url, presets }: DoctorProps) {
  const [target, setTarget] = useState<Target>({ verb, url, sample: "" });
  const { progress, report, before, earlyEnd, run, stop } = useDoctor();
  const isRunning = progress !== null;
  const start = () => {
    // Puts the endpoint in the URL without a reload.
    const query = new URLSearchParams({ method: target.verb, url: target.url });
    window.history.replaceState(null, "", `/doctor?${query}`);
    void run(inputOf(target));
  };
  return (
    <div className="grid gap-6">
      <TargetForm
        target={target}
        onChange={setTarget}
        presets={presets}
        isRunning={isRunning}
        onStart={start}
        onStop={stop}
      />
      <Progress progress={progress} />
      {earlyEnd && (
        <Notice tone="unknown" title="The checks stopped early." role="alert">
          {earlyEnd}
        </Notice>
      )}
      {!report && !isRunning && !earlyEnd && (
        <Card isPadded={false}>
          <Empty kind="first" title="Not checked yet" headingLevel={2}>
            The doctor sends about 30 requests, without a token and with invalid ones. None of them
            can be charged. Paid checks are optional and run only if you agree.
          </Empty>
        </Card>
      )}
      {report && (
        <ReportView report={report} before={before}>
          {!isRunning && (
            <PaidOffer
              report={report}
              onConfirm={({ planId, upTo }) =>
                void run({
                  ...inputOf({ ...target, verb: report.verb, url: report.url }),
                  paid: { planId, maxCredits: upTo },
                })
              }
            />
          )}
        </ReportView>
      )}
    </div>
  );
}

type TargetFormProps = {
  target: Target;
  onChange: (target: Target) => void;
  presets: Preset[];
  isRunning: boolean;
  onStart: () => void;
  onStop: () => void;
};

function TargetForm({ target, onChange, presets, isRunning, onStart, onStop }: TargetFormProps) {
  const [fault, setFault] = useState<string>();
  const set = (change: Partial<Target>) => {
    const next = { ...target, ...change };
    if (fault) setFault(targetFault(next.url));
    onChange(next);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isRunning) return;
    const wrong = targetFault(target.url);
    setFault(wrong);
    if (!wrong) onStart();
  };
  return (
    <form noValidate onSubmit={submit} className="grid max-w-160 gap-3.5">
      <PresetField
        presets={presets}
        method={target.verb}
        url={target.url}
        onChoose={({ method, url, body }) => onChange({ verb: method, url, sample: body ?? "" })}
      />
      <Field label="Endpoint" error={fault}>
        <Joined>
          <UnitSelect
            label="Method"
            options={METHODS.map((method) => ({ value: method, label: method }))}
            value={target.verb}
            onValueChange={(verb) => set({ verb })}
          />
          <TextInput
            isMono
            type="url"
            placeholder="https://agent.example/ask"
            value={target.url}
            onChange={(event) => set({ url: event.target.value })}
            className="relative"
          />
        </Joined>
      </Field>
      <TextAreaField
        label="Body"
        isOptional
        hint="A JSON body for the paid checks. Defaults to {}."
        isMono
        rows={2}
        value={target.sample}
        onChange={(event) => set({ sample: event.target.value })}
      />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" isPending={isRunning}>
          Run checks
        </Button>
        {isRunning && <Button onClick={onStop}>Stop</Button>}
      </div>
    </form>
  );
}

function Progress({ progress }: { progress: DoctorProgress | null }) {
  return (
    <div role="status">
      {progress && (
        <div className="grid max-w-160 gap-1.5" data-testid="doctor-progress">
          <p className="flex flex-wrap justify-between gap-x-3 text-note">
            <span>{progress.words}</span>
            <span className="text-ink-2 tabular-nums">
              Step {progress.done + 1} of {Math.max(progress.of, progress.done + 1)}
            </span>
          </p>
          <ShareBar
            percent={(100 * (progress.done + 0.5)) / progress.of}
            className="h-1 overflow-hidden rounded-full bg-sunken text-accent [&_rect]:transition-[width]"
          />
        </div>
      )}
    </div>
  );
}
