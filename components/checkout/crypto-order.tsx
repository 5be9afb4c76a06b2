"use client";

import type { GrantToSign } from "@turnpike/payments/protocol";
import { useRouter } from "next/navigation";
import { useState, useTransition } from "react";
import type { ActionAnswer } from "../forms/action-answer.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { useOperation } from "../forms/use-operation.ts";
import { Button } from "../ui/button.tsx";
import { StepTimeline } from "../ui/data/step-timeline.tsx";
import { Notice } from "../ui/notice.tsx";
import { Address } from "../ui/values/address.tsx";
import { amountText, minorText } from "../ui/values/money-text.ts";
import { PermissionSentence } from "../ui/values/permission-sentence.tsx";
import { type CreateDelegation, type GrantActions, SignGrant } from "../wallet/sign-grant.tsx";
import { checkoutGrant } from "./checkout-grant.ts";
import {
  type CryptoFacts,
  missingFunds,
  mustSign,
  nextAction,
  stepsBefore,
} from "./crypto-steps.tsx";
import { Lost, OfferChanged } from "./pay-outcomes.tsx";
import { payUnder } from "./pay-under.ts";
import { type Offer, type PlanPrice, priceText } from "./plan-price.ts";
import type { PayOutcome } from "./read-pay-answer.ts";
import { type Pay, usePay } from "./use-pay.ts";

export type CryptoOrderProps = CryptoFacts & {
  planId: string;
  seller: string;
  offer: Offer;
  follows: string;
  actions: Required<GrantActions> & {
    pay: Pay;
    getTestFunds: (
      needed: { native: true } | { usdcAtLeast: string },
    ) => Promise<ActionAnswer<unknown>>;
    prepareGrant: CreateDelegation;
  };
};

/** Orders a plan on chain: the steps to the payment, and one button for the next of them. */
export function CryptoOrder(props: CryptoOrderProps) {
  const { planId, price, offer, follows, delegation, actions } = props;
  const router = useRouter();
  const [isRefreshing, refresh] = useTransition();
  const [grant, setGrant] = useState<GrantToSign>();
  const operation = useOperation();
  const paying = usePay({ planId, follows, offer }, actions.pay);
  const text = priceText(price);
  const isBusy = operation.isPending || isRefreshing || paying.isLeaving;

  const reload = () => refresh(() => router.refresh());
  const pay = () =>
    operation.run(
      () => paying.send(delegation ? { delegationId: delegation.delegationId } : {}),
      paying.done,
    );
  const getFunds = () => operation.run(() => actions.getTestFunds(fundsFor(price)), reload);
  const payNew = (delegationId: string) => payUnder(delegationId, paying.send, actions.revokeGrant);
  const prepare = async (): Promise<ActionAnswer<PayOutcome | { grant: GrantToSign }>> => {
    const prepared = await actions.prepareGrant(checkoutGrant(planId, price));
    if (!prepared.ok) return prepared;
    const { grant, delegationId } = prepared.data;
    return grant ? { ok: true, data: { grant } } : payNew(delegationId);
  };
  const sign = () =>
    operation.run(prepare, (data) => ("grant" in data ? setGrant(data.grant) : paying.done(data)));
  const done = (paid: PayOutcome) => {
    if ("changed" in paid) setGrant(undefined);
    paying.done(paid);
  };
  const BUTTONS = {
    "get-funds": { label: `Get test ${price.currency}`, onClick: getFunds },
    "check-balance": { label: "Check balance", onClick: reload },
    sign: { label: "Review and sign", onClick: sign },
    pay: { label: price.isFree ? "Get credits" : `Pay ${text}`, onClick: pay },
  };
  const button = BUTTONS[nextAction(props)];

  if (paying.isLost) return <Lost checkHref={paying.checkHref} planId={planId} />;
  return (
    <div className="grid gap-5">
      {!price.isFree && !mustSign(props) && <Permission {...props} />}
      <h2 className="sr-only">Steps</h2>
      <StepTimeline isCompact label="Before you pay" steps={stepsBefore(props)} />
      {nextAction(props) === "check-balance" && <Shortfall {...props} />}
      {/* A payment whose answer was lost is shown as lost. */}
      <FailureNotice title="Nothing was ordered." unknown={null} of={operation} />
      {grant ? (
        <SignGrant
          grant={grant}
          verb={`Sign and pay ${text}`}
          failed="Nothing was ordered."
          unknown={null}
          actions={actions}
          follow={payNew}
          onDone={(paid) => paid && done(paid)}
          onCancel={() => setGrant(undefined)}
          isLeaving={paying.isLeaving}
        />
      ) : (
        <Button look="primary" size="big" isPending={isBusy} onClick={() => void button.onClick()}>
          {button.label}
        </Button>
      )}
      <p className="text-ink-2 text-small">
        You can’t be charged twice for one order, even if you reload or open a second tab.
      </p>
      <OfferChanged
        paying={paying}
        isPending={isBusy}
        mustSign={props.isOwnWallet && !price.isFree}
        onAccept={() => void pay()}
      />
    </div>
  );
}

const fundsFor = ({ currency, total }: PlanPrice) =>
  currency === "ETH" ? ({ native: true } as const) : { usdcAtLeast: total.toString() };

function Permission({ price, seller, delegation }: CryptoOrderProps) {
  const text = priceText(price);
  return (
    <PermissionSentence>
      Turnpike pays exactly <b>{text}</b> from your account to <b>{seller}</b>, <b>once</b>
      {delegation ? (
        <>
          , under your delegation <b>“{delegation.name}”</b>, which has{" "}
          {minorText(delegation.leftCents, delegation.currency)} left.
        </>
      ) : (
        ". It can’t move anything else."
      )}
    </PermissionSentence>
  );
}

function Shortfall({ price, funds, chain, account }: CryptoFacts) {
  const missing = amountText(missingFunds({ price, funds }), price.decimals);
  return (
    <Notice tone="info" title={`Send ${missing} ${price.currency} to your account`}>
      On {chain}: <Address value={account} name="account address" />. Incoming transfers appear
      here.
    </Notice>
  );
}
