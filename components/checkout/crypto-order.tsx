"use client";

import type { GrantToSign } from "@turnpike/payments/protocol";
import { useRouter } from "next/navigation";
import { useState, useTransition } from "react";
import { Button } from "../ui/button.tsx";
import { StepTimeline, type TimelineStep } from "../ui/data/step-timeline.tsx";
import { createLater } from "../ui/later.ts";
import { Notice } from "../ui/notice.tsx";
import { Address } from "../ui/values/address.tsx";
import { amountText, moneyText } from "../ui/values/money-text.ts";
import { PermissionSentence } from "../ui/values/permission-sentence.tsx";
import { Lost, PriceChanged, Refused } from "./pay-outcomes.tsx";
import { type PlanPrice, priceText, yoursText } from "./plan-price.ts";
import { type Answer, type Pay, usePay } from "./use-pay.ts";

const GrantSigner = createLater(() =>
  import("../wallet/grant-signer.tsx").then((it) => it.default),
).Part;

/** A grant for one order: once, its price; tokens may use its credits for a week. */
const GRANT_SECS = 7 * 86_400;
const CENTS = 2;

export type CryptoOrderProps = {
  planId: string;
  seller: string;
  /** `100 credits`. */
  grant: string;
  price: PlanPrice;
  follows: string;
  account: string;
  chain: string;
  isSandbox: boolean;
  /** The owner is a person's own wallet, which has to sign what is spent. */
  isOwnWallet: boolean;
  /** What the account holds, in the price's smallest unit; null while the chain does not answer. */
  funds: string | null;
  /** A live delegation this order fits into. */
  delegation?: { delegationId: string; name: string; leftCents: string; currency: string };
  actions: {
    pay: Pay;
    getTestFunds: (needed: { native: true } | { usdcAtLeast: string }) => Promise<Answer<unknown>>;
    prepareGrant: (input: {
      provider: "erc4337";
      planIds: string[];
      spendingLimitCents: string;
      durationSecs: number;
      maxTransactions: number;
      name: string;
    }) => Promise<Answer<{ delegationId: string; grant?: GrantToSign | undefined }>>;
    submitGrantSignature: (input: {
      delegationId: string;
      signature: string;
    }) => Promise<Answer<unknown>>;
  };
};

/** The ladder to an order paid on chain: what stands, what is next, and one button that does it. */
export function CryptoOrder(props: CryptoOrderProps) {
  const { planId, price, follows, funds, isOwnWallet, delegation, isSandbox, actions } = props;
  const router = useRouter();
  const quote = { planId, follows, quoted: price.total.toString() };
  const { order, failure, setFailure, ...paying } = usePay(quote, actions.pay);
  const [isFunding, setFunding] = useState(false);
  const [isRefreshing, refresh] = useTransition();
  const [grant, setGrant] = useState<GrantToSign | null>(null);
  const [isPreparing, setPreparing] = useState(false);
  const missing = funds === null ? null : price.total - BigInt(funds);
  const isShort = missing !== null && missing > 0n;
  const mustSign = isOwnWallet && !price.isFree && !delegation;

  const getFunds = async () => {
    setFunding(true);
    setFailure(null);
    const given = await actions.getTestFunds(
      price.currency === "ETH" ? { native: true } : { usdcAtLeast: quote.quoted },
    );
    setFunding(false);
    if (!given.ok) return setFailure(given);
    refresh(() => router.refresh());
  };
  const prepare = async () => {
    setPreparing(true);
    setFailure(null);
    const prepared = await actions.prepareGrant({
      provider: "erc4337",
      planIds: [planId],
      spendingLimitCents: (price.cents ?? 0n).toString(),
      durationSecs: GRANT_SECS,
      maxTransactions: 1,
      name: "Checkout",
    });
    setPreparing(false);
    if (!prepared.ok) return setFailure(prepared);
    if (prepared.data.grant) return setGrant(prepared.data.grant);
    return order({ delegationId: prepared.data.delegationId });
  };
  const handIn = async (signature: string) => {
    if (!grant) return;
    const { delegationId } = grant;
    setPreparing(true);
    const accepted = await actions.submitGrantSignature({ delegationId, signature });
    setPreparing(false);
    if (!accepted.ok) return setFailure(accepted);
    return order({ delegationId });
  };
  const payNow = (quoted?: string) =>
    order(delegation ? { delegationId: delegation.delegationId } : {}, quoted);

  if (paying.isLost) return <Lost checkHref={paying.checkHref} planId={planId} />;
  const text = priceText(price);
  return (
    <div className="grid gap-5">
      {!price.isFree && !mustSign && <Sentence {...props} text={text} />}
      <h2 className="sr-only">Steps</h2>
      <StepTimeline label="Before you pay" steps={stepsOf(props, { isShort, text, mustSign })} />
      {isShort && !isSandbox && (
        <Notice
          tone="info"
          title={`Send ${amountText(missing, price.decimals)} ${price.currency} to your account`}
        >
          It is on {props.chain}: <Address value={props.account} name="account address" />. What
          arrives is seen here.
        </Notice>
      )}
      {failure && <Refused failure={failure} title="Nothing was ordered." />}
      {grant ? (
        <GrantSigner
          grant={grant}
          verb={`Sign and pay ${text}`}
          isPending={isPreparing || paying.isPending}
          onSigned={handIn}
          onCancel={() => setGrant(null)}
        />
      ) : isShort ? (
        isSandbox ? (
          <Button
            look="primary"
            size="big"
            isPending={isFunding || isRefreshing}
            onClick={getFunds}
          >
            Get test {price.currency}
          </Button>
        ) : (
          <Button
            look="primary"
            size="big"
            isPending={isRefreshing}
            onClick={() => refresh(() => router.refresh())}
          >
            Check balance
          </Button>
        )
      ) : mustSign ? (
        <Button look="primary" size="big" isPending={isPreparing} onClick={prepare}>
          Read what you sign
        </Button>
      ) : (
        <Button look="primary" size="big" isPending={paying.isPending} onClick={() => payNow()}>
          {price.isFree ? "Get credits" : `Pay ${text}`}
        </Button>
      )}
      <p className="text-ink-2 text-small">
        Pressing twice, reloading or a second tab never pays twice.
      </p>
      <PriceChanged price={price} paying={paying} onAccept={payNow} />
    </div>
  );
}

function Sentence({ text, seller, delegation }: CryptoOrderProps & { text: string }) {
  if (delegation) {
    const left = moneyText(delegation.leftCents, CENTS, delegation.currency);
    return (
      <PermissionSentence>
        Turnpike moves exactly <b>{text}</b> from your account to <b>{seller}</b>, <b>once</b>,
        under your delegation <b>‘{delegation.name}’</b>, which has {left} left.
      </PermissionSentence>
    );
  }
  return (
    <PermissionSentence>
      Turnpike moves exactly <b>{text}</b> from your account to <b>{seller}</b>, <b>once</b>. It can
      move nothing else.
    </PermissionSentence>
  );
}

type Standing = { isShort: boolean; text: string; mustSign: boolean };

function stepsOf(
  { account, chain, isOwnWallet, price, funds, grant }: CryptoOrderProps,
  { isShort, text, mustSign }: Standing,
): TimelineStep[] {
  const standing: TimelineStep = {
    key: "account",
    status: "ok",
    title: "Account ready",
    verdict: <Address value={account} name="account address" />,
  };
  const last: TimelineStep = {
    key: "confirmed",
    status: "idle",
    title: "Confirmed",
    verdict: `Then ${yoursText(grant)}.`,
  };
  if (price.isFree) return [standing, last];
  return [
    standing,
    {
      key: "chain",
      status: "ok",
      title: chain,
      verdict: isOwnWallet
        ? "Your wallet signs; it is asked for no transaction and no gas."
        : "No wallet needed: this service keeps your account’s key sealed.",
    },
    funds === null
      ? {
          key: "funds",
          status: "warn",
          title: "Balance not known",
          verdict: "The chain does not answer. The order checks it again.",
        }
      : {
          key: "funds",
          status: isShort ? "running" : "ok",
          title: `${amountText(funds, price.decimals)} ${price.currency} available`,
          verdict: isShort
            ? `${text} are needed.`
            : `Enough for ${amountText(price.total, price.decimals)}. ${amountText(BigInt(funds) - price.total, price.decimals)} stay.`,
        },
    {
      key: "signed",
      status: "idle",
      title: "Signed",
      verdict: mustSign
        ? "Your wallet signs one permission, which is explained first."
        : `Approval of exactly ${text} and payment, in one signature.`,
    },
    { key: "sent", status: "idle", title: "Sent", verdict: "As one operation of your account." },
    { key: "block", status: "idle", title: "In a block", verdict: "On the chain for good." },
    last,
  ];
}
