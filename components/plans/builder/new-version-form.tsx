"use client";

import { PlanRedemptionType } from "@turnpike/payments/protocol";
import { useRouter } from "next/navigation";
import { type FormEvent, useEffect, useMemo, useRef, useState } from "react";
import { FormProvider, useWatch } from "react-hook-form";
import { plural } from "@/lib/text/plural.ts";
import { FailureNotice } from "../../forms/failure-notice.tsx";
import { type OperationForm, useOperationForm } from "../../forms/use-operation-form.ts";
import { UnsavedGuard } from "../../shell/leave-guard.tsx";
import { type Confirmation, useConfirmed } from "../../sign-in/use-confirmed.tsx";
import { Button } from "../../ui/button.tsx";
import { ButtonLink } from "../../ui/button-link.tsx";
import { Card } from "../../ui/card.tsx";
import { Icon } from "../../ui/icon.tsx";
import { NearLink } from "../../ui/links/near-link.tsx";
import { ConfirmDialog } from "../../ui/overlays/dialog.tsx";
import { toast } from "../../ui/overlays/toast-store.ts";
import { Section } from "../../ui/page-header.tsx";
import { describeTerms } from "../describe-plan.ts";
import type { Market } from "../market.ts";
import { type PlanTerms, railOfPrice } from "../plan-terms.ts";
import type { PublishVersion } from "../plan-types.ts";
import { PAYEES_CHANGE } from "../plan-words.ts";
import { RAILS, type Rail } from "../rails.ts";
import { CreditsStep } from "./credits-step.tsx";
import { draftOfPlan } from "./draft-of-plan.ts";
import { editedTerms } from "./edited-terms.ts";
import { type PlanToCreate, payloadOfDraft, wireTerms } from "./payload-of-draft.ts";
import type { PlanDraft } from "./plan-draft.ts";
import { draftResolver, shownField } from "./plan-form.ts";
import { PriceReadout } from "./price-readout.tsx";
import { PriceStep } from "./price-step.tsx";
import { rebaseDraft } from "./rebase-draft.ts";
import { stopsRenewals } from "./stops-renewals.ts";

type NewVersionFormProps = {
  planId: string;
  name: string;
  version: number;
  terms: PlanTerms;
  /** Subscribers who renew automatically. */
  renewing: number;
  market: Market;
  confirmation: Confirmation;
  publishVersion: PublishVersion;
};

/** Price and credits for later orders, beside the current ones. */
export function NewVersionForm(props: NewVersionFormProps) {
  const { planId, name, terms, market, version } = props;
  const [isAsking, setAsking] = useState(false);
  const confirming = useConfirmed(props.confirmation, PAYEES_CHANGE);
  const form = useNewVersion(props, confirming.confirm);
  const draft = useWatch({ control: form.control }) as PlanDraft;
  const reading = payloadOfDraft(draft, market);
  const next = reading.isPayload ? editedTerms(terms, reading.terms, market) : null;
  const changes = next ? termsChanges(terms, next, market) : [];
  const isUnchanged = next !== null && changes.length === 0;
  const stopped = next && stopsRenewals(terms, next, market) ? props.renewing : 0;
  const publish = (event: FormEvent) => {
    event.preventDefault();
    if (stopped > 0) setAsking(true);
    else if (!isUnchanged) void form.submit();
  };
  return (
    <FormProvider {...form}>
      {!isUnchanged && <UnsavedGuard />}
      <form
        onSubmit={publish}
        noValidate
        className="grid items-start gap-8 lg:grid-cols-[minmax(0,560px)_minmax(0,1fr)]"
      >
        <div className="min-w-0 *:first:mt-0">
          <Section id="version-price" title="Price">
            <div className="grid gap-4">
              <PriceStep
                draft={draft}
                market={market}
                rails={railsLike(railOfPrice(terms.price, market))}
              />
            </div>
          </Section>
          <Section id="version-credits" title="Credits">
            <div className="grid gap-4">
              <CreditsStep
                draft={draft}
                filledAt={0}
                counts={terms.accessLimit === "time" ? [] : ["fixed", "dynamic"]}
                hasAccounts={hasAccounts(terms)}
                readout={next && <PriceReadout terms={next} market={market} />}
              />
            </div>
          </Section>
        </div>
        <section aria-labelledby="version-changes" className="grid min-w-0 gap-3">
          <h2 id="version-changes" className="text-h2">
            What changes
          </h2>
          <ChangesCard changes={next && changes} stopped={stopped} />
          <FailureNotice
            title="The version was not published."
            unknown={<LookFirst planId={planId} version={version + 1} />}
            of={form}
          />
          <div className="flex flex-wrap gap-2">
            <Button
              type="submit"
              look="primary"
              isPending={form.isPending}
              aria-disabled={isUnchanged || undefined}
            >
              Publish version {version + 1}
            </Button>
            <ButtonLink href={`/plans/${planId}?tab=settings`}>Cancel</ButtonLink>
          </div>
        </section>
      </form>
      {isAsking && (
        <PublishDialog
          {...{ name, stopped }}
          version={version + 1}
          publish={() => void form.submit()}
          onClose={() => setAsking(false)}
        />
      )}
      {confirming.dialog}
    </FormProvider>
  );
}

type PublishDialogProps = {
  name: string;
  version: number;
  stopped: number;
  publish: () => void;
  onClose: () => void;
};

function PublishDialog({ name, version, stopped, publish, onClose }: PublishDialogProps) {
  return (
    <ConfirmDialog
      title={`Publish version ${version} of “${name}”?`}
      effects={[
        { icon: "refresh", ...renewalsStop(stopped) },
        { icon: "history", title: "You can’t withdraw a version" },
      ]}
      safe="Keep editing"
      verb={`Publish version ${version}`}
      look="primary"
      onClose={onClose}
      onConfirm={() => {
        onClose();
        publish();
      }}
    />
  );
}

function LookFirst({ planId, version }: { planId: string; version: number }) {
  return (
    <>
      Look at{" "}
      <NearLink href={`/plans/${planId}`} className="link" target="_blank">
        the plan
      </NearLink>{" "}
      before you publish again: it shows version {version} if this one was published.
    </>
  );
}

function useNewVersion(
  props: NewVersionFormProps,
  confirm: ReturnType<typeof useConfirmed>["confirm"],
) {
  const { planId, name, version, terms, market, publishVersion } = props;
  const router = useRouter();
  const start = useMemo(() => draftOfPlan(terms, name, market), [terms, name, market]);
  const form: OperationForm<PlanDraft, PlanToCreate> = useOperationForm<
    PlanDraft,
    PlanToCreate,
    { version: number }
  >({
    defaultValues: start,
    resolver: draftResolver(market),
    // What the terms mean is shown next to the fields while they are filled in.
    mode: "onTouched",
    run: (written) => {
      const { price, credits } = editedTerms(terms, written.terms, market);
      const { redeemers } = written.payload;
      return confirm(() =>
        publishVersion(version, {
          ...{ planId, ...wireTerms(price, credits) },
          ...(redeemers && !hasAccounts(terms) && { redeemers }),
        }),
      );
    },
    onDone: (published) => {
      toast(`Version ${published.version} of “${name}” published`);
      router.push(`/plans/${planId}`);
    },
    fieldOf: (path) => shownField(path, { steps: ["price", "credits"], draft: form.getValues() }),
  });
  const { getValues, reset } = form;
  const made = useRef({ version, start });
  // The page is read again, and has a version that was published elsewhere.
  useEffect(() => {
    const from = made.current;
    made.current = { version, start };
    if (from.version === version) return;
    reset(rebaseDraft(getValues(), from.start, start), { keepErrors: true });
  }, [version, start, getValues, reset]);
  return form;
}

const hasAccounts = ({ credits }: PlanTerms): boolean =>
  credits.redemptionType === PlanRedemptionType.ONLY_PLAN_ROLE;

const renewalsStop = (stopped: number) => ({
  title: plural(stopped, "subscriber renews automatically", "subscribers renew automatically"),
  detail: `${stopped === 1 ? "Their renewal stops" : "Their renewals stop"} until they agree to the new terms.`,
});

type ChangesProps = {
  /** Null while the fields have faults. */
  changes: TermsChange[] | null;
  /** How many renewals the version stops. */
  stopped: number;
};

function ChangesCard({ changes, stopped }: ChangesProps) {
  const { title, detail } = renewalsStop(stopped);
  return (
    <Card className="grid gap-3">
      {changes && changes.length > 0 ? (
        <dl className="grid gap-3" data-testid="version-changes">
          {changes.map(({ key, term, before, after }) => (
            <div key={key} className="grid gap-0.5">
              <dt className="text-ink-2 text-note">{term}</dt>
              <dd className="wrap-anywhere">
                <del className="text-ink-2 no-underline">{before}</del>{" "}
                <span aria-hidden="true">→</span>{" "}
                <ins className="font-medium no-underline">{after}</ins>
              </dd>
            </div>
          ))}
        </dl>
      ) : (
        <p className="text-ink-2">
          {changes
            ? "No changes yet. Edit the price or the credits."
            : "Fix the fields with errors to see what changes."}
        </p>
      )}
      {stopped > 0 && (
        <p className="flex gap-2">
          <Icon name="alert" className="mt-0.5 size-4 shrink-0" />
          <span>
            {title}. {detail}
          </span>
        </p>
      )}
      <p className="border-line border-t pt-3 text-ink-2 text-note">
        Existing subscribers keep what they bought. Clients may show the old price for up to 5
        minutes.
      </p>
    </Card>
  );
}

/** The rails a new version may use: a plan keeps its scheme, and stays free or paid. */
const railsLike = (rail: Rail): readonly Rail[] => {
  if (rail === "card" || rail === "free") return [rail];
  return RAILS.filter((one) => one !== "card" && one !== "free");
};

type TermsChange = { key: string; term: string; before: string; after: string };

/** What differs between two versions of a plan's terms, line by line. */
function termsChanges(now: PlanTerms, next: PlanTerms, market: Market): TermsChange[] {
  const before = new Map(describeTerms(now, market).map((fact) => [fact.key, fact]));
  const after = new Map(describeTerms(next, market).map((fact) => [fact.key, fact]));
  const keys = new Set([...before.keys(), ...after.keys()]);
  return [...keys].flatMap((key) => {
    const [one, other] = [before.get(key), after.get(key)];
    if (one?.text === other?.text) return [];
    const term = (other ?? one)?.term ?? key;
    return [{ key, term, before: one?.text ?? "none", after: other?.text ?? "none" }];
  });
}
