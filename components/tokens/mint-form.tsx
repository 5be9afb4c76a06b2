"use client";

import type { GrantToSign } from "@turnpike/payments/protocol";
import { useState } from "react";
import { FormProvider } from "react-hook-form";
import { fieldOfLimit } from "../delegations/read-limits.ts";
import type { ActionAnswer } from "../forms/action-answer.ts";
import { createResolver } from "../forms/create-resolver.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { useOperationForm } from "../forms/use-operation-form.ts";
import { NEW_CARD } from "../payment-methods/card-text.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { SignGrant } from "../wallet/sign-grant.tsx";
import { MintFields } from "./mint-fields.tsx";
import {
  firstMintValues,
  grantInput,
  type MintActions,
  type Minted,
  type MintInput,
  type MintTerms,
  type MintValues,
  mustSign,
  NEW,
  needsCard,
  readMint,
  underDelegation,
} from "./mint-values.ts";
import { MintedTokenCard } from "./minted-token.tsx";

export type MintFormProps = MintTerms & { hasTestCards: boolean; actions: MintActions };

/** A token is shown once, in the answer that was lost. */
const UNKNOWN = (
  <>
    Look at <TextLink href="/tokens">your tokens</TextLink> before you mint another. If there is a
    new one, revoke it: it can’t be shown again.
  </>
);

/** Mints a token: for which agent and under which delegation, with the usual choices made. */
export function MintForm({ hasTestCards, actions, ...terms }: MintFormProps) {
  const [signing, setSigning] = useState<{ grant: GrantToSign; input: MintInput }>();
  const [minted, setMinted] = useState<Minted>();

  const mint = async ({
    request,
    lifeSecs,
    limits,
  }: MintInput): Promise<ActionAnswer<Minted | { grant: GrantToSign }>> => {
    if (!limits || !mustSign(terms)) return actions.mintToken(request, lifeSecs);
    const prepared = await actions.prepareGrant(grantInput(limits, terms));
    if (!prepared.ok) return prepared;
    const { grant, delegationId } = prepared.data;
    if (grant) return { ok: true, data: { grant } };
    return actions.mintToken(underDelegation(request, delegationId), lifeSecs);
  };
  const form = useOperationForm({
    defaultValues: firstMintValues(terms),
    resolver: createResolver((typed: MintValues) => readMint(typed, terms)),
    run: mint,
    onDone: (data, input) =>
      "grant" in data ? setSigning({ grant: data.grant, input }) : setMinted(data),
    fieldOf: fieldOfLimit,
  });
  const values = form.watch();

  if (minted) {
    return (
      <MintedTokenCard
        {...minted}
        planId={terms.planId}
        planName={terms.planName}
        agent={terms.agents.find(({ agentId }) => agentId === values.agentId)}
        onAnother={() => {
          setMinted(undefined);
          setSigning(undefined);
        }}
      />
    );
  }
  const waitsForCard = needsCard(values, terms) && values.cardId === NEW_CARD;
  return (
    <FormProvider {...form}>
      <Card className="grid gap-6">
        <MintFields
          {...{ values, terms, hasTestCards, actions }}
          isSigning={signing !== undefined}
        />
        <FailureNotice title="No token was minted." unknown={UNKNOWN} of={form} />
        {signing ? (
          <SignGrant
            grant={signing.grant}
            verb="Sign and mint"
            failed="No token was minted."
            unknown={UNKNOWN}
            actions={actions}
            follow={(delegationId) => {
              // The agent and the token's own limits can still be changed while the wallet is asked.
              const reading = readMint(form.getValues(), terms);
              const { request, lifeSecs } = "input" in reading ? reading.input : signing.input;
              return actions.mintToken(underDelegation(request, delegationId), lifeSecs);
            }}
            onDone={setMinted}
            onCancel={() => setSigning(undefined)}
          />
        ) : (
          !waitsForCard && (
            <Button look="primary" size="big" isPending={form.isPending} onClick={form.submit}>
              {values.delegationId === NEW && mustSign(terms)
                ? "Review and sign"
                : "Mint access token"}
            </Button>
          )
        )}
      </Card>
    </FormProvider>
  );
}
