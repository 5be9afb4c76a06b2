import { useId } from "react";
import { Button } from "../ui/button.tsx";
import { CopyText } from "../ui/copy-text.tsx";
import {
  Cell,
  HeadCell,
  Table,
  TableBody,
  TableFrame,
  TableHead,
  TableMessage,
  TableRow,
} from "../ui/data/table.tsx";
import { LiveInput } from "../ui/fields/live-input.tsx";
import { Select } from "../ui/fields/select.tsx";
import { Switch } from "../ui/fields/switch.tsx";
import { TextInput } from "../ui/fields/text-input.tsx";
import { Icon } from "../ui/icon.tsx";
import type { PlanChoice } from "./agent-types.ts";
import type { EndpointMatch } from "./match-endpoint.ts";
import { ProbePill, ProbeSeen } from "./probe-pill.tsx";
import type { Row } from "./register/registration-draft.ts";
import { Placeholder, UrlTemplate } from "./url-template.tsx";

const VERBS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

export type EndpointTableProps = {
  rows: readonly Row[];
  /** The selected plans, shown for rows whose 402 names none. */
  plans: readonly PlanChoice[];
  waiting: ReadonlySet<number>;
  match: EndpointMatch | null;
  tried: string;
  onTry: (url: string) => void;
  onChange: (key: number, change: Partial<Row>) => void;
  onRemove: (key: number) => void;
  promptOf: (row: Row) => string;
  onSample: (row: Row) => void;
};

export function EndpointTable(props: EndpointTableProps) {
  const { rows, match, tried, onTry } = props;
  return (
    <TableFrame>
      <Table caption="Endpoints">
        <TableHead>
          <HeadCell>Include</HeadCell>
          <HeadCell>Endpoint</HeadCell>
          <HeadCell>Paid</HeadCell>
          <HeadCell>Plan</HeadCell>
          <HeadCell align="end">Credits</HeadCell>
          <HeadCell>Probe</HeadCell>
          <HeadCell>Response</HeadCell>
          <HeadCell>
            <span className="sr-only">Actions</span>
          </HeadCell>
        </TableHead>
        <TableBody>
          {rows.length === 0 && (
            <TableMessage columns={8}>
              <p className="px-4 py-5 text-center text-ink-2">No endpoints yet. Add one.</p>
            </TableMessage>
          )}
          {rows.map((row, index) => (
            <EndpointRow key={row.key} row={row} isLit={match?.index === index} {...props} />
          ))}
        </TableBody>
      </Table>
      <RouteTester value={tried} onValueChange={onTry} match={match} />
    </TableFrame>
  );
}

type EndpointRowProps = EndpointTableProps & { row: Row };

const nameOf = ({ verb, url }: Row): string => `${verb} ${url || "new endpoint"}`;

function EndpointRow({ isLit, ...props }: EndpointRowProps & { isLit: boolean }) {
  const { row, plans, waiting, onChange } = props;
  const { key, verb, url, probe, isPaid, isTicked } = row;
  const { planText, creditsText } = paymentOf(row, plans);
  return (
    <TableRow isOpen={isLit} data-endpoint={`${verb} ${url}`} data-probe={probe?.result ?? "none"}>
      <Cell className="sm:w-10" label="Include">
        <label className="inline-grid size-6 cursor-pointer place-items-center max-sm:-me-3 max-sm:size-(--hit)">
          <LiveInput
            type="checkbox"
            aria-label={`Include ${nameOf(row)}`}
            checked={isTicked}
            onChange={() => onChange(key, { isTicked: !isTicked })}
            className="size-4 accent-accent max-sm:size-5"
          />
        </label>
      </Cell>
      <Cell phone="title" className="min-w-52">
        {row.isOwn ? (
          <EndpointInputs {...props} />
        ) : (
          <span className="flex min-w-0 items-baseline gap-2.5">
            <code className="w-13 shrink-0 text-ink-2">{verb}</code>
            <UrlTemplate url={url} />
          </span>
        )}
      </Cell>
      <Cell label="Paid">
        <Switch
          label={`${nameOf(row)} is paid`}
          isLabelHidden
          checked={isPaid}
          onChange={() => onChange(key, { isPaid: !isPaid })}
        />
      </Cell>
      <Cell className="min-w-20 wrap-anywhere" label="Plan" phone={isPaid ? "start" : "hidden"}>
        {planText}
      </Cell>
      <Cell
        align="end"
        label="Credits"
        phone={isPaid ? "start" : "hidden"}
        className="whitespace-nowrap"
      >
        {creditsText}
      </Cell>
      <Cell label="Probe">
        <ProbePill probe={probe} isPaid={isPaid} isChecking={waiting.has(key)} />
      </Cell>
      <Cell className="min-w-24" phone={probe ? "start" : "hidden"}>
        {!waiting.has(key) && (probe ? <ProbeSeen probe={probe} isPaid={isPaid} /> : "–")}
      </Cell>
      <Cell align="end" phone="end">
        <RowActions {...props} />
      </Cell>
    </TableRow>
  );
}

function EndpointInputs({ row: { key, verb, url }, onChange }: EndpointRowProps) {
  return (
    <span className="flex gap-2">
      <Select
        label="Method"
        className="w-24 shrink-0"
        options={VERBS.map((value) => ({ value, label: value }))}
        value={verb}
        onValueChange={(next) => onChange(key, { verb: next, probe: null })}
      />
      <TextInput
        aria-label="URL of the endpoint"
        isMono
        type="url"
        value={url}
        placeholder="https://agent.example/items/:id"
        onChange={(event) => onChange(key, { url: event.target.value, probe: null })}
      />
    </span>
  );
}

function RowActions({ row, onChange, onRemove, onSample, promptOf }: EndpointRowProps) {
  const { key, verb, probe, isPaid, isOwn } = row;
  const name = nameOf(row);
  const isBroken = isPaid && probe !== null && probe.result !== "ready";
  const worksWith = isBroken ? probe.worksWith : null;
  return (
    <span className="inline-flex flex-wrap items-center justify-end gap-1">
      {worksWith && (
        <Button size="small" onClick={() => onChange(key, { verb: worksWith, probe: null })}>
          Use {worksWith}
        </Button>
      )}
      {isBroken && (
        <CopyText size="small" label={`Copy fix prompt for ${name}`} text={() => promptOf(row)}>
          Fix prompt
        </CopyText>
      )}
      {["POST", "PUT", "PATCH"].includes(verb) && !isBroken && (
        <Button
          size="small"
          aria-label={`Edit sample body of ${name}`}
          onClick={() => onSample(row)}
        >
          Edit sample body
        </Button>
      )}
      {isOwn && (
        <Button
          size="small"
          look="quiet"
          aria-label={`Remove ${name}`}
          onClick={() => onRemove(key)}
        >
          <Icon name="close" className="size-3.5" />
        </Button>
      )}
    </span>
  );
}

/** What a call costs: as its 402 says, or as the selected plans say. */
function paymentOf({ isPaid, probe }: Row, plans: readonly PlanChoice[]) {
  if (!isPaid) return { planText: "–", creditsText: "–" };
  const [offer, ...others] = probe?.offers ?? [];
  if (offer) {
    const more = others.length > 0 ? ` and ${others.length} more` : "";
    return {
      planText: `${offer.planName ?? offer.planId ?? offer.scheme}${more}`,
      creditsText: offer.credits ?? "–",
    };
  }
  const [plan, ...rest] = plans;
  if (!plan) return { planText: <span className="text-ink-2">None yet</span>, creditsText: "–" };
  const more = rest.length > 0 ? ` and ${rest.length} more` : "";
  return { planText: `${plan.name}${more}`, creditsText: plan.credits };
}

type RouteTesterProps = {
  value: string;
  onValueChange: (value: string) => void;
  match: EndpointMatch | null;
};

/** Shows the row a real URL matches, and the values of its placeholders. */
function RouteTester({ value, onValueChange, match }: RouteTesterProps) {
  const id = useId();
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-line border-t bg-sunken px-4 py-2.5 text-note">
      <label htmlFor={id} className="text-label">
        Try a URL
      </label>
      <TextInput
        id={id}
        isMono
        type="url"
        value={value}
        placeholder="https://agent.example/items/42"
        onChange={(event) => onValueChange(event.target.value)}
        className="min-w-48 flex-1"
      />
      <p role="status" className="flex min-w-0 flex-wrap items-center gap-x-2 max-sm:w-full">
        {value.trim() !== "" && !match && "No endpoint matches: the request is not charged."}
        {match && <span>Row {match.index + 1}</span>}
        {match?.captures.map(({ name, value: captured }) => (
          <span key={name} className="wrap-anywhere font-mono">
            <Placeholder name={name} /> = {captured}
          </span>
        ))}
      </p>
    </div>
  );
}
