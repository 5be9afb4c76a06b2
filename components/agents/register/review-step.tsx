import { useEffect, useState } from "react";
import type { SearchItem } from "@/lib/console/search.ts";
import { plural } from "@/lib/text/plural.ts";
import { readOperation } from "../../data/read-operation.ts";
import { FailureNotice } from "../../forms/failure-notice.tsx";
import { Button } from "../../ui/button.tsx";
import { ButtonLink } from "../../ui/button-link.tsx";
import { DefinitionList } from "../../ui/data/definition-list.tsx";
import { Checkbox } from "../../ui/fields/checkbox.tsx";
import { Notice } from "../../ui/notice.tsx";
import type { PlanChoice } from "../agent-types.ts";
import {
  errorsOf,
  openRows,
  paidRows,
  type RegistrationDraft,
  rowsWithoutPlans,
} from "./registration-draft.ts";
import { accessText, planNames } from "./registration-input.ts";
import type { StepName } from "./registration-steps.ts";

type ReviewStepProps = {
  draft: RegistrationDraft;
  plans: readonly PlanChoice[];
  isSandbox: boolean;
  isAccepted: boolean;
  onAccept: (isAccepted: boolean) => void;
  onEdit: (step: StepName) => void;
  failure: string | undefined;
  failureCode: string | undefined;
};

/** Everything that will be registered, the errors that remain, and the choice to register anyway. */
export function ReviewStep(props: ReviewStepProps) {
  const { draft, isSandbox, isAccepted, onAccept } = props;
  const errors = errorsOf(draft);
  return (
    <>
      <KnownAgent url={paidRows(draft.rows)[0]?.url ?? ""} />
      <Verdict draft={draft} errors={errors} />
      <Summary {...props} />
      {errors.length > 0 && isSandbox && (
        <Checkbox
          label={`Register with ${plural(errors.length, "error")}`}
          hint="You can fix them later. In live they block registration."
          checked={isAccepted}
          onChange={() => onAccept(!isAccepted)}
        />
      )}
      <FailureNotice
        title="The agent was not registered."
        unknown="Register it again: the same agent is never registered twice."
        of={props}
      />
    </>
  );
}

const MAX_LISTED = 6;

const Lines = ({ lines }: { lines: readonly string[] }) => (
  <ul className="grid gap-0.5">
    {lines.slice(0, MAX_LISTED).map((line) => (
      <li key={line} className="wrap-anywhere">
        {line}
      </li>
    ))}
  </ul>
);

function Verdict({ draft, errors }: { draft: RegistrationDraft; errors: string[] }) {
  const paid = paidRows(draft.rows);
  const unprobed = paid.filter(({ probe }) => !probe).length;
  const warnings = paid.flatMap(({ probe }) =>
    (probe?.findings ?? []).filter(
      ({ state, severity }) => state === "fail" && severity === "warning",
    ),
  );
  const counts = `${plural(errors.length, "error")}, ${plural(warnings.length, "warning")}.`;
  if (errors.length > 0) {
    return (
      <Notice tone="refused" title={counts}>
        <Lines lines={errors} />
      </Notice>
    );
  }
  if (unprobed > 0) {
    return (
      <Notice tone="neutral" title={`${plural(unprobed, "endpoint")} not probed.`}>
        Probe them to see whether they ask for payment.
      </Notice>
    );
  }
  const without = rowsWithoutPlans(draft);
  if (without.length > 0) {
    const offer = plural(without.length, "endpoint offers", "endpoints offer");
    return (
      <Notice
        tone="unsettled"
        title={
          draft.planIds.length === 0 ? "No plan selected." : `${offer} none of the selected plans.`
        }
      >
        <Lines lines={without.map(({ verb, url }) => `${verb} ${url}`)} />
        Select the plans that these endpoints offer, or add yours to the gate’s routes.
      </Notice>
    );
  }
  return (
    <Notice tone="settled" title={counts}>
      Every paid endpoint answers 402 with a valid offer.
    </Notice>
  );
}

function Summary({ draft, plans, onEdit }: ReviewStepProps) {
  const paid = plural(paidRows(draft.rows).length, "paid endpoint");
  const lines: [term: string, text: string, step: StepName][] = [
    ["Name", draft.about.name || "None", "definition"],
    ["Definition", draft.definitionUrl, "definition"],
    ["Endpoints", `${paid}, ${openRows(draft.rows).length} free`, "endpoints"],
    ["Access", accessText(draft), "access"],
    ["Plans", planNames(draft, plans) || "None", "plans"],
  ];
  const items = lines.map(([term, text, step]) => ({
    term,
    value: (
      <span className="flex items-center justify-between gap-3">
        <span className="wrap-anywhere min-w-0">{text}</span>
        <Button
          size="small"
          look="quiet"
          aria-label={`Edit ${term.toLowerCase()}`}
          onClick={() => onEdit(step)}
        >
          Edit
        </Button>
      </span>
    ),
  }));
  return <DefinitionList items={items} />;
}

/** Offers the agent of this account that has the endpoint already. */
function KnownAgent({ url }: { url: string }) {
  const [known, setKnown] = useState<SearchItem>();
  useEffect(() => {
    const stop = new AbortController();
    setKnown(undefined);
    if (url) {
      readOperation("search", { q: url }, { signal: stop.signal })
        .then(({ items }) => setKnown(items.find(isAgent)))
        // Registering refuses it too, and says so.
        .catch(() => {});
    }
    return () => stop.abort();
  }, [url]);
  if (!known) return null;
  return (
    <Notice
      tone="unsettled"
      title={`Your agent “${known.name}” already has this endpoint`}
      action={<ButtonLink href={known.href ?? "/agents"}>Open agent</ButtonLink>}
    >
      An endpoint can belong to only one agent. Edit that agent, or archive it first.
    </Notice>
  );
}

const isAgent = ({ kind, isExact, detail }: SearchItem) =>
  kind === "agent" && isExact && detail !== "Archived";
