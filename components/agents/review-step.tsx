"use client";

import { Button } from "../ui/button.tsx";
import { DefinitionList } from "../ui/data/definition-list.tsx";
import { Checkbox } from "../ui/fields/checkbox.tsx";
import { Notice } from "../ui/notice.tsx";
import type { PlanChoice } from "./agent-types.ts";
import { errorsOf, openRows, paidRows, type RegistrationDraft } from "./registration-draft.ts";

const ACCESS_WORDS = { NONE: "No login of its own", BASIC: "Basic", BEARER: "Bearer" } as const;

export const accessWords = ({ access }: Pick<RegistrationDraft, "access">): string => {
  const { length } = access.headers.filter(({ name }) => name.trim() !== "");
  const more = length > 0 ? `, ${length} extra ${length === 1 ? "header" : "headers"}` : "";
  return ACCESS_WORDS[access.authType] + more;
};

export type StepName = "definition" | "endpoints" | "access" | "plans" | "review";

/** Everything that will be registered, what stands against it, and whether to do it all the same. */
export function ReviewStep({
  draft,
  plans,
  isSandbox,
  isAccepted,
  onAccept,
  onEdit,
  failure,
}: {
  draft: RegistrationDraft;
  plans: readonly PlanChoice[];
  isSandbox: boolean;
  isAccepted: boolean;
  onAccept: (isAccepted: boolean) => void;
  onEdit: (step: StepName) => void;
  failure: { message: string; hint: string; code: string } | null;
}) {
  const errors = errorsOf(draft);
  const paid = paidRows(draft.rows);
  const unprobed = paid.filter(({ probe }) => !probe).length;
  const chosen = plans.filter(({ planId }) => draft.planIds.includes(planId));
  const warnings = paid.flatMap(({ probe }) =>
    (probe?.findings ?? []).filter(
      ({ state, severity }) => state === "fail" && severity === "warning",
    ),
  );
  const count = (n: number, word: string) => `${n} ${n === 1 ? word : `${word}s`}`;
  const edit = (step: StepName, what: string) => (
    <Button size="small" look="quiet" aria-label={`Edit ${what}`} onClick={() => onEdit(step)}>
      Edit
    </Button>
  );
  const line = (text: string, step: StepName, what: string) => (
    <span className="flex items-center justify-between gap-3">
      <span className="wrap-anywhere min-w-0">{text}</span>
      {edit(step, what)}
    </span>
  );
  return (
    <>
      {errors.length > 0 ? (
        <Notice
          tone="refused"
          title={`${count(errors.length, "error")}, ${count(warnings.length, "warning")}.`}
        >
          <ul className="grid gap-0.5">
            {errors.slice(0, 6).map((error) => (
              <li key={error} className="wrap-anywhere">
                {error}
              </li>
            ))}
          </ul>
        </Notice>
      ) : (
        <Notice
          tone={unprobed > 0 ? "neutral" : "settled"}
          title={
            unprobed > 0
              ? `${count(unprobed, "endpoint")} not probed.`
              : `0 errors, ${count(warnings.length, "warning")}.`
          }
        >
          {unprobed > 0
            ? "Nobody has seen yet whether they ask for payment."
            : "Each paid endpoint answers 402 with an offer that can be paid."}
        </Notice>
      )}
      <DefinitionList
        items={[
          { term: "Name", value: line(draft.about.name || "None", "definition", "name") },
          {
            term: "Definition",
            value: line(draft.definitionUrl || "None yet", "definition", "definition"),
          },
          {
            term: "Endpoints",
            value: line(
              `${count(paid.length, "paid endpoint")}, ${openRows(draft.rows).length} open`,
              "endpoints",
              "endpoints",
            ),
          },
          { term: "Access", value: line(accessWords(draft), "access", "access") },
          {
            term: "Plans",
            value: line(chosen.map(({ name }) => name).join("; ") || "None", "plans", "plans"),
          },
        ]}
      />
      {errors.length > 0 && isSandbox && (
        <Checkbox
          label={`Register with ${count(errors.length, "error")}`}
          hint="They can be mended afterwards. In live they block."
          checked={isAccepted}
          onChange={() => onAccept(!isAccepted)}
        />
      )}
      {failure && (
        <Notice
          tone="refused"
          title="The agent was not registered."
          code={failure.code}
          role="alert"
        >
          {failure.message} {failure.hint}
        </Notice>
      )}
    </>
  );
}
