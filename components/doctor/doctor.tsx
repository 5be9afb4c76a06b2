"use client";

import { useState } from "react";
import type { Preset } from "../playground/request/preset.ts";
import { PresetField } from "../playground/request/preset-field.tsx";
import { METHODS } from "../playground/request/request-draft.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Empty } from "../ui/empty.tsx";
import { Field } from "../ui/fields/field.tsx";
import { Joined, UnitSelect } from "../ui/fields/money-input.tsx";
import { TextArea } from "../ui/fields/text-area.tsx";
import { TextInput } from "../ui/fields/text-input.tsx";
import { Notice } from "../ui/notice.tsx";
import { PaidOffer } from "./paid-offer.tsx";
import { ReportView } from "./report-view.tsx";
import { type DoctorProgress, useDoctor } from "./use-doctor.ts";

export type DoctorProps = {
  verb: string;
  url: string;
  /** Endpoints to choose from: the demo agent, one's own. */
  presets: Preset[];
};

/** An endpoint to examine, and the report of it. Nothing runs by itself; paid checks ask once more. */
export function Doctor({ verb: givenVerb, url: givenUrl, presets }: DoctorProps) {
  const [verb, setVerb] = useState(givenVerb);
  const [url, setUrl] = useState(givenUrl);
  const [sample, setSample] = useState("");
  const [fault, setFault] = useState("");
  const { progress, report, before, failure, run, stop } = useDoctor();
  const isRunning = progress !== null;
  const bodyOf = (method: string) =>
    ["POST", "PUT", "PATCH"].includes(method) && sample.trim() !== "" ? { sample } : {};

  const start = () => {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
      return setFault("Give a whole address that starts with https:// or http://.");
    }
    setFault("");
    const query = new URLSearchParams({ method: verb, url });
    // The address of the page names what is examined; nothing is loaded anew.
    window.history.replaceState(null, "", `/doctor?${query}`);
    void run({ verb, url, ...bodyOf(verb) });
  };
  return (
    <div className="grid gap-6">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!isRunning) start();
        }}
        className="grid max-w-160 gap-3.5"
      >
        <PresetField
          presets={presets}
          method={verb}
          url={url}
          onChoose={(preset) => {
            setVerb(preset.method);
            setUrl(preset.url);
            setSample(preset.body ?? "");
          }}
        />
        <Field label="Endpoint" error={fault}>
          <Joined>
            <UnitSelect
              label="Method"
              options={METHODS.map((method) => ({ value: method, label: method }))}
              value={verb}
              onValueChange={setVerb}
            />
            <TextInput
              isMono
              type="url"
              autoComplete="off"
              spellCheck={false}
              placeholder="https://agent.example/ask"
              value={url}
              onChange={(event) => setUrl(event.target.value)}
              className="relative"
            />
          </Joined>
        </Field>
        <Field
          label="Body"
          isOptional
          hint="What the agent can work on, as JSON. It matters for paid checks; left out, {} is sent."
        >
          <TextArea
            isMono
            rows={2}
            spellCheck={false}
            value={sample}
            onChange={(event) => setSample(event.target.value)}
          />
        </Field>
        <div className="flex flex-wrap gap-2">
          <Button type="submit" look="primary" isPending={isRunning}>
            Run checks
          </Button>
          {isRunning && <Button onClick={stop}>Stop</Button>}
        </div>
      </form>
      <Progress progress={progress} />
      {failure && (
        <Notice tone="unknown" title="The checks broke off." role="alert">
          {failure} Calls that were made with a token before may have used credits.
        </Notice>
      )}
      {!report && !isRunning && !failure && (
        <Card isPadded={false}>
          <Empty kind="first" title="Not checked yet" headingLevel={2}>
            The endpoint is asked some thirty times: without a token, and with tokens that nobody
            signed. Nothing can be charged. Paid checks come after, and ask first.
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
                  verb: report.verb,
                  url: report.url,
                  ...bodyOf(report.verb),
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
          <div className="h-1 overflow-hidden rounded-full bg-sunken">
            <div
              className="h-full bg-accent transition-[width]"
              style={{ width: `${(100 * (progress.done + 0.5)) / progress.of}%` }}
            />
          </div>
        </div>
      )}
    </div>
  );
}
