import { readJson } from "@turnpike/payments/protocol";
import { useState } from "react";
import { plural, pluralWord } from "@/lib/text/plural.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { Button } from "../ui/button.tsx";
import { CopyText } from "../ui/copy-text.tsx";
import { prettyJson } from "../ui/data/pretty-json.ts";
import { TextAreaField } from "../ui/fields/text-field.tsx";
import { Icon } from "../ui/icon.tsx";
import { Notice } from "../ui/notice.tsx";
import { ActionDialog } from "../ui/overlays/dialog.tsx";
import type { PlanChoice } from "./agent-types.ts";
import { EndpointTable } from "./endpoint-table.tsx";
import { fixPrompt } from "./fix-prompt.ts";
import { matchEndpoint } from "./match-endpoint.ts";
import { brokenRows, ownRow, paidRows, type Row } from "./register/registration-draft.ts";
import type { Probing } from "./use-probes.ts";

export type EndpointsStepProps = {
  rows: readonly Row[];
  onRows: (rows: Row[]) => void;
  plans: readonly PlanChoice[];
  probing: Probing;
  onProbe: (rows: readonly Row[]) => void;
  agent: { name: string; agentId?: string; planIds: readonly string[] };
  isSandbox: boolean;
  fault?: string | undefined;
};

/** The endpoint table with its probes, the route tester, and what is not ready to be paid. */
export function EndpointsStep(props: EndpointsStepProps) {
  const { rows, onRows, plans, probing, agent, fault } = props;
  const [tried, setTried] = useState("");
  const [sampled, setSampled] = useState<Row | null>(null);
  const urls = rows.map(({ url }) => url);
  const match = tried.trim() === "" ? null : matchEndpoint(urls, tried);
  const change = (key: number, next: Partial<Row>) =>
    onRows(rows.map((row) => (row.key === key ? { ...row, ...next } : row)));
  return (
    <>
      <Toolbar {...props} />
      {fault && (
        <p role="alert" className="text-note">
          {fault}
        </p>
      )}
      <EndpointTable
        rows={rows}
        plans={plans}
        waiting={probing.waiting}
        match={match}
        tried={tried}
        onTry={setTried}
        onChange={change}
        onRemove={(key) => onRows(rows.filter((row) => row.key !== key))}
        onSample={setSampled}
        promptOf={(row) => fixPrompt(agent, [row])}
      />
      <FailureNotice title="The endpoints could not be probed." unknown={null} of={probing} />
      {probing.waiting.size === 0 && <BrokenNotice {...props} />}
      {sampled && (
        <SampleDialog
          row={sampled}
          onClose={() => setSampled(null)}
          onSave={(sample) => {
            change(sampled.key, { sample, probe: null });
            setSampled(null);
          }}
        />
      )}
    </>
  );
}

function Toolbar({ rows, onRows, probing, onProbe }: EndpointsStepProps) {
  const ticked = rows.filter(({ isTicked, url }) => isTicked && url.trim() !== "");
  const ready = paidRows(rows).filter(({ probe }) => probe?.result === "ready").length;
  const broken = brokenRows(rows).length;
  const unprobed = paidRows(rows).filter(({ probe }) => probe === null).length;
  const free = rows.filter(({ isPaid }) => !isPaid).length;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <p className="flex flex-wrap gap-x-4 tabular-nums">
        <Count number={ready} word="ready" />
        <Count number={broken} word={pluralWord(broken, "needs attention", "need attention")} />
        {unprobed > 0 && <Count number={unprobed} word="not probed" />}
        <Count number={free} word="free" />
      </p>
      <div className="ms-auto flex flex-wrap items-center gap-3">
        {probing.total > 0 && (
          <p role="status" className="flex items-center gap-2 text-ink-2 text-note tabular-nums">
            {probing.done} of {probing.total} probed
            <progress
              aria-hidden="true"
              max={probing.total}
              value={probing.done}
              className="h-1 w-24 appearance-none overflow-hidden rounded-full bg-line [&::-moz-progress-bar]:bg-ink [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-ink"
            />
          </p>
        )}
        <Button onClick={() => onRows([...rows, ownRow()])}>
          <Icon name="plus" />
          Add endpoint
        </Button>
        <Button
          isPending={probing.waiting.size > 0}
          aria-disabled={ticked.length === 0 || undefined}
          onClick={() => onProbe(ticked)}
        >
          Probe all
        </Button>
      </div>
    </div>
  );
}

const Count = ({ number, word }: { number: number; word: string }) => (
  <span>
    <strong className="font-semibold">{number}</strong> {word}
  </span>
);

const MAX_LISTED = 4;

function BrokenNotice({ rows, agent, isSandbox }: EndpointsStepProps) {
  const broken = brokenRows(rows);
  if (broken.length === 0) return null;
  return (
    <Notice
      tone="refused"
      title={`${plural(broken.length, "endpoint is", "endpoints are")} not ready to be paid.`}
      action={<CopyText text={() => fixPrompt(agent, broken)} />}
    >
      <ul className="grid gap-0.5">
        {broken.slice(0, MAX_LISTED).map(({ key, verb, url, probe }) => (
          <li key={key} className="wrap-anywhere">
            <code>
              {verb} {url}
            </code>
            : {probe?.why}
          </li>
        ))}
        {broken.length > MAX_LISTED && <li>And {broken.length - MAX_LISTED} more.</li>}
      </ul>
      {isSandbox
        ? "You can still register in the sandbox. Fix these before going live."
        : "Fix these before you register."}
    </Notice>
  );
}

type SampleDialogProps = {
  row: Row;
  onClose: () => void;
  onSave: (sample: string) => void;
};

function SampleDialog({ row, onClose, onSave }: SampleDialogProps) {
  const [text, setText] = useState(() => prettyJson(row.sample ?? "{}"));
  const fault = readJson(text) === undefined ? "This is not valid JSON." : undefined;
  return (
    <ActionDialog
      onClose={onClose}
      title="Sample body"
      description={`Sent when ${row.verb} ${row.url} is probed.`}
      safe="Close"
      verb="Use this body"
      action={{ "aria-disabled": fault !== undefined, onClick: () => onSave(text) }}
    >
      <TextAreaField
        label="JSON"
        error={fault}
        isMono
        rows={8}
        value={text}
        maxLength={20_000}
        onChange={(event) => setText(event.target.value)}
      />
    </ActionDialog>
  );
}
