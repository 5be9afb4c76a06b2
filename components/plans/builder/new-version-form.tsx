"use client";

import type { InputOf } from "@turnpike/payments/protocol";
import { useRouter } from "next/navigation";
import { useMemo, useState } from "react";
import { FormProvider, useForm, useWatch } from "react-hook-form";
import { Button } from "../../ui/button.tsx";
import { ButtonLink } from "../../ui/button-link.tsx";
import { Card } from "../../ui/card.tsx";
import { Notice } from "../../ui/notice.tsx";
import { toast } from "../../ui/overlays/toast-store.ts";
import { Section } from "../../ui/page-header.tsx";
import { describeTerms } from "../describe-plan.ts";
import type { Market } from "../market.ts";
import type { UpdatePlan } from "../plan-settings.tsx";
import { type PlanTerms, railOfPrice } from "../plan-terms.ts";
import { RAILS, type Rail } from "../rails.ts";
import { CreditsStep } from "./credits-step.tsx";
import { draftOfPlan } from "./draft-of-plan.ts";
import { draftPathOf } from "./draft-path.ts";
import { payloadOfDraft } from "./payload-of-draft.ts";
import type { PlanDraft } from "./plan-draft.ts";
import { draftResolver, pathsOf } from "./plan-form.ts";
import { PriceReadout } from "./price-readout.tsx";
import { PriceStep } from "./price-step.tsx";

type NewVersionFormProps = {
  planId: string;
  name: string;
  version: number;
  terms: PlanTerms;
  market: Market;
  updatePlan: UpdatePlan;
};

/** Price and credits for later orders, beside what they are now. */
export function NewVersionForm({
  planId,
  name,
  version,
  terms,
  market,
  updatePlan,
}: NewVersionFormProps) {
  const router = useRouter();
  const start = useMemo(() => draftOfPlan(terms, name, market), [terms, name, market]);
  const form = useForm<PlanDraft>({
    defaultValues: start,
    resolver: draftResolver(market),
    mode: "onTouched",
  });
  const { control, handleSubmit, setError, formState } = form;
  const draft = useWatch({ control }) as PlanDraft;
  const [fault, setFault] = useState<string>();
  const reading = payloadOfDraft(draft, market);
  const next = reading.isPayload ? reading.terms : null;
  const changes = next ? changesOf(terms, next, market) : [];

  const publish = handleSubmit(async () => {
    if (!reading.isPayload || changes.length === 0) return;
    const { priceConfig, creditsConfig } = reading.payload;
    const input: InputOf<"updatePlan"> = { planId, priceConfig, creditsConfig };
    setFault(undefined);
    const updated = await updatePlan(input).catch(() => null);
    if (updated?.ok) {
      toast(`Version ${version + 1} of ‘${name}’ holds for later orders`);
      router.push(`/plans/${planId}`);
      router.refresh();
      return;
    }
    setFault(
      updated
        ? `${updated.message} ${updated.hint}`
        : "The service cannot be reached. Nothing is known to have changed.",
    );
    const [wrong] = updated?.details ?? [];
    const path = wrong && draftPathOf(wrong.path);
    const shown: string[] = [...pathsOf("price", draft), ...pathsOf("credits", draft)];
    if (wrong && path && shown.includes(path)) {
      setError(path as "name", { message: wrong.message }, { shouldFocus: true });
    }
  });

  return (
    <FormProvider {...form}>
      <form
        onSubmit={publish}
        noValidate
        className="grid items-start gap-8 lg:grid-cols-[minmax(0,560px)_minmax(0,1fr)]"
      >
        <div className="min-w-0">
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
                readout={next && <PriceReadout terms={next} market={market} />}
              />
            </div>
          </Section>
        </div>
        <section aria-labelledby="version-changes" className="mt-8 grid min-w-0 gap-3 max-lg:mt-0">
          <h2 id="version-changes" className="text-h2">
            What changes
          </h2>
          <Card className="grid gap-3">
            {changes.length === 0 ? (
              <p className="text-ink-2">
                {next
                  ? "Nothing yet. Change the price or the credits."
                  : "Not every field can be read yet."}
              </p>
            ) : (
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
            )}
            <p className="border-line border-t pt-3 text-ink-2 text-note">
              Those who ordered keep what they bought. Clients may show the old offer for up to 5
              minutes.
            </p>
          </Card>
          {fault && (
            <Notice tone="refused" role="alert" title="No version was published.">
              {fault}
            </Notice>
          )}
          <div className="flex flex-wrap gap-2">
            <Button
              type="submit"
              look="primary"
              isPending={formState.isSubmitting}
              aria-disabled={(next !== null && changes.length === 0) || undefined}
            >
              Publish version {version + 1}
            </Button>
            <ButtonLink href={`/plans/${planId}?tab=settings`}>Cancel</ButtonLink>
          </div>
        </section>
      </form>
    </FormProvider>
  );
}

/** A plan keeps its scheme, and stays free or paid: the rails a new version may be on. */
const railsLike = (rail: Rail): readonly Rail[] => {
  if (rail === "card" || rail === "free") return [rail];
  return RAILS.filter((one) => one !== "card" && one !== "free");
};

type Change = { key: string; term: string; before: string; after: string };

function changesOf(now: PlanTerms, next: PlanTerms, market: Market): Change[] {
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
