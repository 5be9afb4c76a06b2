"use client";

import type { InputOf, Renewal } from "@turnpike/payments/protocol";
import { useState } from "react";
import { orderHref } from "../checkout/order-href.ts";
import type { OperationAction } from "../forms/action-answer.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { useOperation } from "../forms/use-operation.ts";
import { Button } from "../ui/button.tsx";
import { ButtonLink } from "../ui/button-link.tsx";
import { Card } from "../ui/card.tsx";
import { Field } from "../ui/fields/field.tsx";
import { Select } from "../ui/fields/select.tsx";
import { Notice } from "../ui/notice.tsx";
import { currencyMoney } from "../ui/values/currency-money.ts";
import { TimeAgo } from "../ui/values/time-ago.tsx";

type RenewalCardProps = {
  planId: string;
  /** The plan's version, and what one period costs by it: `5.00 USD`. */
  version: number;
  price: string;
  /** Whether the plan can be ordered. */
  isSold: boolean;
  /** As it was set, if ever. */
  renewal: Renewal | undefined;
  delegations: { delegationId: string; name: string; expiresAt: string }[];
  /** When the time that was paid for ends. */
  endsAt: string | undefined;
  setRenewal: OperationAction<"setRenewal">;
};

/** Switches the renewal of a time plan on within a delegation, says when it comes, and ends it with one click. */
export function RenewalCard(props: RenewalCardProps) {
  const { planId, version, isSold, renewal, setRenewal } = props;
  const operation = useOperation();
  const change = (input: Omit<InputOf<"setRenewal">, "planId">) =>
    void operation.run(() => setRenewal({ ...input, planId }));
  const isOn = renewal?.state === "on";
  const obstacle = isOn ? (renewal.obstacle?.code ?? "") : "";
  // Switching it on cures neither a budget nor an archived plan.
  const canSwitchOn =
    isSold && (!isOn || /^(delegation_|price_changed$|pending_approval$)/.test(obstacle));
  return (
    <Card className="grid max-w-xl gap-4 p-4">
      {renewal && <RenewalNotice renewal={renewal} />}
      {canSwitchOn && (
        <SwitchOn
          {...props}
          isPending={operation.isPending}
          onSwitch={(delegationId) => change({ isOn: true, delegationId, planVersion: version })}
        />
      )}
      {isOn && (
        <div>
          <Button isPending={operation.isPending} onClick={() => change({ isOn: false })}>
            End renewal
          </Button>
        </div>
      )}
      <FailureNotice
        title="The renewal was not changed."
        unknown="Reload the page to see whether the plan renews automatically."
        of={operation}
      />
    </Card>
  );
}

/** When the plan renews and for how much, what waits for the subscriber, why the last attempt failed, or why the renewal stopped. */
export function RenewalNotice({ renewal }: { renewal: Renewal }) {
  const { state, price, currency, renewsAt, isSoon, failure, obstacle, planId, orderId } = renewal;
  const cost = currencyMoney(price, currency);
  if (state === "off") return null;
  if (state === "stopped") {
    return (
      <Notice tone="refused" title="The renewal stopped" {...(failure && { code: failure.code })}>
        {failure?.message}
      </Notice>
    );
  }
  if (orderId) {
    return (
      <Notice
        tone="unsettled"
        title={`Your bank asks you to confirm the renewal for ${cost}`}
        action={
          <ButtonLink href={orderHref(planId, orderId, undefined)}>Confirm payment</ButtonLink>
        }
      >
        You are charged only after you confirm.
      </Notice>
    );
  }
  if (obstacle) {
    return (
      <Notice tone="refused" title="The renewal can’t be paid" code={obstacle.code}>
        {obstacle.message}{" "}
        {obstacle.code.startsWith("delegation_")
          ? "Choose another delegation, or your access ends with the time you paid for."
          : "Unless that changes, your access ends with the time you paid for."}
      </Notice>
    );
  }
  const when = renewsAt && <TimeAgo at={renewsAt} form="full" />;
  return failure ? (
    <Notice tone="unsettled" title="The last renewal failed" code={failure.code}>
      {failure.message} It will be retried {when}.
    </Notice>
  ) : (
    <Notice tone={isSoon ? "unsettled" : "info"} title={`Renews for ${cost}`}>
      Renews {when}, at this price only. You can end it any time before then.
    </Notice>
  );
}

type SwitchOnProps = RenewalCardProps & {
  isPending: boolean;
  onSwitch: (delegationId: string) => void;
};

function SwitchOn({ planId, price, delegations, endsAt, isPending, onSwitch }: SwitchOnProps) {
  const [chosen, setChosen] = useState(
    (delegations.find(({ expiresAt }) => !endsAt || expiresAt > endsAt) ?? delegations[0])
      ?.delegationId,
  );
  const create = (
    <ButtonLink href={`/delegations/new?plan=${planId}&renews=1`}>Create delegation</ButtonLink>
  );
  const expiresAt = delegations.find(({ delegationId }) => delegationId === chosen)?.expiresAt;
  if (!chosen) {
    return (
      <div className="grid justify-items-start gap-3">
        <p className="text-ink-2">
          A renewal is paid within a delegation. Create one for this plan first.
        </p>
        {create}
      </div>
    );
  }
  return (
    <>
      <p>
        Order this plan again before it expires, for {price} each time. A price change stops the
        renewal.
      </p>
      <Field label="Pay within delegation">
        <Select
          options={delegations.map(({ delegationId, name }) => ({
            value: delegationId,
            label: name,
          }))}
          value={chosen}
          onValueChange={setChosen}
        />
      </Field>
      {expiresAt && endsAt && expiresAt <= endsAt && (
        <Notice tone="unsettled" title="It expires before the plan renews" action={create}>
          This delegation expires <TimeAgo at={expiresAt} form="full" />. The renewal can’t be paid
          with it.
        </Notice>
      )}
      <div>
        <Button look="primary" isPending={isPending} onClick={() => onSwitch(chosen)}>
          Renew automatically
        </Button>
      </div>
    </>
  );
}
