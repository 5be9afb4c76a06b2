"use client";

import type { Withdrawal } from "@turnpike/payments/protocol";
import { useRef, useState } from "react";
import { MONEY_DECIMALS } from "@/lib/console/currency-decimals.ts";
import type { WithdrawalAddresses } from "@/lib/console/money.ts";
import type { OperationAction } from "../forms/action-answer.ts";
import { answerOf } from "../forms/answer-of.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { showFaults } from "../forms/show-faults.ts";
import { type Confirmation, useConfirmed } from "../sign-in/use-confirmed.tsx";
import { Button } from "../ui/button.tsx";
import { ButtonLink } from "../ui/button-link.tsx";
import { Card } from "../ui/card.tsx";
import { DefinitionList } from "../ui/data/definition-list.tsx";
import { Field } from "../ui/fields/field.tsx";
import { MoneyInput } from "../ui/fields/money-input.tsx";
import { RadioGroup } from "../ui/fields/radio-group.tsx";
import { Notice } from "../ui/notice.tsx";
import { takeFocus } from "../ui/take-focus.ts";
import { Address } from "../ui/values/address.tsx";
import { currencyMoney } from "../ui/values/currency-money.ts";
import { Identifier } from "../ui/values/identifier.tsx";
import { echoMoney } from "../ui/values/money-reading.ts";
import { typedAmount } from "../ui/values/money-text.ts";
import { PermissionSentence } from "../ui/values/permission-sentence.tsx";
import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";
import { absoluteTime } from "../ui/values/time-text.ts";
import { AddAddress, type AddAddressProps } from "./add-address.tsx";
import { CURRENCY, readWithdrawal, withdrawalSums } from "./withdrawal-amount.ts";
import { attemptAfter, type WithdrawalAttempt } from "./withdrawal-attempt.ts";
import { withdrawalTarget } from "./withdrawal-target.ts";

type WithdrawFormProps = {
  /** In smallest units. */
  available: string;
  addresses: WithdrawalAddresses;
  confirmation: Confirmation;
  createWithdrawal: OperationAction<"createWithdrawal">;
} & Pick<AddAddressProps, "addWithdrawalAddress" | "removeWithdrawalAddress">;

/** Sends stablecoin to an address of the list: what is sent, where to, what arrives, then the receipt. */
export function WithdrawForm(props: WithdrawFormProps) {
  const { available, addresses, confirmation, createWithdrawal } = props;
  const [text, setText] = useState("");
  const fields = useRef<HTMLFieldSetElement>(null);
  const [chosen, setChosen] = useState(addresses.items.find(({ isUsable }) => isUsable)?.address);
  const [isTouched, setTouched] = useState(false);
  const [done, setDone] = useState<{ withdrawal: Withdrawal; amount: string; to: string }>();
  const { send, forget, isUnknown, operation } = useWithdrawal(confirmation, createWithdrawal);
  // Until the outcome is known, only the same withdrawal can be sent again.
  const isLocked = isUnknown || operation.isPending;
  const { amount, fault } = readWithdrawal(text, BigInt(available), BigInt(addresses.least));
  const to = withdrawalTarget({ items: addresses.items, chosen, isUnknown });
  const address = addresses.items.find((one) => one.address === to);
  const submit = () => {
    if (amount === undefined || !to) {
      return showFaults(fields.current, () => setTouched(true));
    }
    const sent = amount.toString();
    send({ currency: CURRENCY, amount: sent, to }, (withdrawal) => {
      setDone({ withdrawal, amount: sent, to });
    });
  };
  const change = (work: () => void) => {
    forget();
    work();
  };
  if (done) {
    const again = () => {
      setDone(undefined);
      change(() => setText(""));
      setTouched(false);
    };
    return <WithdrawalReceipt {...done} onAgain={again} />;
  }
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
      <div className="grid min-w-0 gap-6">
        <fieldset ref={fields} disabled={isLocked} className="grid min-w-0 gap-6">
          <AmountField
            text={text}
            fault={isTouched ? fault : undefined}
            available={available}
            least={addresses.least}
            onTextChange={(next) => change(() => setText(next))}
          />
          {addresses.items.length > 0 ? (
            <RadioGroup
              label="Address"
              look="cards"
              options={optionsOf(addresses)}
              value={to}
              onValueChange={(value) => change(() => setChosen(value))}
              error={isTouched && !to && "Choose an address, or add one."}
            />
          ) : (
            isTouched && (
              <Notice role="alert" tone="refused" title="Add an address to withdraw to." />
            )
          )}
        </fieldset>
        <AddAddress {...props} />
      </div>
      <Summary
        amount={amount}
        available={BigInt(available)}
        address={address}
        operation={operation}
        isUnknown={isUnknown}
        onSubmit={submit}
      />
      {operation.dialog}
    </div>
  );
}

/** Sends withdrawals, each under one key: a repeat of what is on the screen is the same withdrawal. */
function useWithdrawal(
  confirmation: Confirmation,
  createWithdrawal: WithdrawFormProps["createWithdrawal"],
) {
  const [attempt, setAttempt] = useState<WithdrawalAttempt>();
  const operation = useConfirmed(confirmation, "Withdrawing");
  const send = (
    input: { currency: string; amount: string; to: string },
    onDone: (withdrawal: Withdrawal) => void,
  ) => {
    const sent = attempt ?? { key: crypto.randomUUID(), isUnknown: false };
    const work = async () => {
      const answer = await answerOf(createWithdrawal({ ...input, idempotencyKey: sent.key }));
      setAttempt(attemptAfter(sent, answer));
      return answer ?? Promise.reject(new Error("The response was lost."));
    };
    void operation.run(work, onDone);
  };
  return {
    send,
    forget: () => setAttempt(undefined),
    isUnknown: attempt?.isUnknown ?? false,
    operation,
  };
}

type AmountFieldProps = {
  text: string;
  fault: string | undefined;
  available: string;
  least: string;
  onTextChange: (text: string) => void;
};

function AmountField({ text, fault, available, least, onTextChange }: AmountFieldProps) {
  return (
    <Field
      label="Amount"
      echo={echoMoney(text, MONEY_DECIMALS)}
      error={fault}
      hint={[
        `${currencyMoney(available, CURRENCY)} available`,
        least !== "0" && `${currencyMoney(least, CURRENCY)} at least`,
      ]
        .filter(Boolean)
        .join(", ")}
    >
      <div className="flex gap-2">
        <div className="min-w-0 flex-1">
          <MoneyInput
            unit="USDC"
            value={text}
            onChange={(event) => onTextChange(event.target.value)}
          />
        </div>
        <Button onClick={() => onTextChange(typedAmount(available, MONEY_DECIMALS))}>
          Use all
        </Button>
      </div>
    </Field>
  );
}

type SummaryProps = {
  /** Left out while what is typed is no amount that can be sent. */
  amount: bigint | undefined;
  available: bigint;
  address: WithdrawalAddresses["items"][number] | undefined;
  operation: Omit<ReturnType<typeof useConfirmed>, "run" | "dialog">;
  /** Whether an earlier request may have begun this withdrawal. */
  isUnknown: boolean;
  onSubmit: () => void;
};

/** What is sent, what it costs and what arrives, above the button. */
function Summary({ amount, available, address, operation, ...props }: SummaryProps) {
  const { sent, after } = withdrawalSums(amount, available);
  return (
    <Card className="grid gap-3">
      <DefinitionList
        look="split"
        items={{
          "You send": sent,
          "Network fee": "0.00 USDC, paid by Turnpike",
          [`${address?.name ?? "Recipient"} receives`]: sent,
          "Available after": after,
          Arrives: "Within seconds",
        }}
      />
      {address && amount !== undefined && (
        <PermissionSentence>
          <b>{sent}</b> goes to{" "}
          <b>
            {address.name ?? ""} {shortenIdentifier(address.address)}
          </b>
          . It can’t be reversed.
        </PermissionSentence>
      )}
      <Button look="primary" isPending={operation.isPending} onClick={props.onSubmit}>
        {props.isUnknown ? "Check status" : "Withdraw"}
      </Button>
      <FailureNotice
        title={props.isUnknown ? "The status could not be checked." : "Nothing was sent yet."}
        unknown="Choose Check status before anything else: it can’t send the amount twice."
        of={operation}
      />
      <p className="text-ink-2 text-small">Retrying can’t pay twice.</p>
    </Card>
  );
}

const optionsOf = (addresses: WithdrawalAddresses) =>
  addresses.items.map((one) => ({
    value: one.address,
    label: `${one.name ?? "Address"} ${shortenIdentifier(one.address)}`,
    aside: one.uses > 0 ? `Used ${one.uses}×` : "Not used yet",
    ...(one.isUsable
      ? { detail: `Added ${absoluteTime(new Date(one.createdAt))}` }
      : { reason: `Available from ${absoluteTime(new Date(one.usableAt))}` }),
  }));

type ReceiptProps = { withdrawal: Withdrawal; amount: string; to: string; onAgain: () => void };

/** What was sent, where to and in which transaction. */
function WithdrawalReceipt({ withdrawal, amount, to, onAgain }: ReceiptProps) {
  const { withdrawalId, status, txHash } = withdrawal;
  const isPaid = status === "paid";
  return (
    <div className="grid max-w-160 gap-4">
      <div ref={takeFocus} tabIndex={-1} className="outline-none">
        <Notice
          tone={isPaid ? "settled" : "unknown"}
          title={isPaid ? "The withdrawal was paid" : "The withdrawal is in progress"}
        >
          {isPaid
            ? "The transaction is on chain."
            : "The outcome is not known yet. The amount stays reserved while the service keeps checking."}
        </Notice>
      </div>
      <Card>
        <DefinitionList
          items={{
            Amount: currencyMoney(amount, "usdc"),
            To: <Address value={to} />,
            Transaction: txHash !== undefined && <Address value={txHash} name="transaction" />,
            Withdrawal: <Identifier value={withdrawalId} name="withdrawal" />,
          }}
        />
      </Card>
      <div className="flex gap-2">
        <ButtonLink look="primary" href="/balance">
          Show balance
        </ButtonLink>
        <Button onClick={onAgain}>Withdraw again</Button>
      </div>
    </div>
  );
}
