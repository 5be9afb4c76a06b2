import type { Refund, RefundPayment } from "@turnpike/payments/protocol";
import { useEffect, useState } from "react";
import { type ActionAnswer, isUnknown, type OperationActions } from "../forms/action-answer.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { newNonce } from "../forms/new-nonce.ts";
import { EffectsSkeleton } from "../forms/operation-dialog.tsx";
import { useOperation } from "../forms/use-operation.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/fields/field.tsx";
import { MoneyInput } from "../ui/fields/money-input.tsx";
import { TextAreaField } from "../ui/fields/text-field.tsx";
import { createLater } from "../ui/later.ts";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { currencyMoney, currencyUnit, typedDecimals } from "../ui/values/currency-money.ts";
import { typedAmount } from "../ui/values/money-text.ts";
import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";
import { amountOf, type Choice, Choices, type RefundableOrder } from "./refund-choices.tsx";
import { refundText, refundVerb } from "./refund-text.ts";

export type RefundActions = OperationActions<
  "createRefund" | "acceptRefundRequest" | "declineRefundRequest" | "getRefundPayment"
> & { getRefundable: (orderId: string) => Promise<ActionAnswer<RefundableOrder>> };

type RefundDialogProps = {
  actions: RefundActions;
  onClose: () => void;
} & ({ orderId: string; request?: undefined } | { orderId?: undefined; request: Refund });

const PaymentDialog = createLater(() => import("../wallet/payment-dialog.tsx"), "default").Part;

const UNKNOWN =
  "Try again here: that can’t refund twice. If you close this, look at the list of refunds first.";

/** Refunds an order, or answers a request: what is refunded and what is left, before the button that does it. */
export function RefundDialog(props: RefundDialogProps) {
  const { actions, request } = props;
  const orderId = props.orderId ?? request?.orderId;
  const { found, reading } = useRefundable(orderId, actions.getRefundable);
  const [choice, setChoice] = useState<Choice>(request ? "amount" : "unused");
  const [typed, setTyped] = useState(
    request ? typedAmount(request.amount, typedDecimals(request.currency)) : "",
  );
  const [text, setText] = useState("");
  const { onClose, refund, decline, operation, toSign, signed } = useAnswers(props, text.trim());
  // Until the outcome is known, only the same refund can be sent again.
  const isLocked = isUnknown(operation) || operation.isPending;
  const picked = found ? amountOf(found, choice, typed) : {};
  if (toSign && found) return <SignRefund {...{ toSign, found, signed, operation, onClose }} />;
  return (
    <Dialog
      onClose={onClose}
      title={found ? `Refund ${found.planName}` : "Refund"}
      {...(found && {
        description: `${currencyMoney(found.paid, found.currency)} paid by ${shortenIdentifier(found.subscriber)}`,
      })}
      footer={
        <>
          <Button data-safe aria-disabled={operation.isPending || undefined} onClick={onClose}>
            Cancel
          </Button>
          {request && (
            <Button isPending={operation.isPending} onClick={() => void decline()}>
              Decline request
            </Button>
          )}
          <Button
            look="primary"
            isPending={operation.isPending}
            disabled={orderId !== undefined && !picked.amount}
            onClick={() => void refund(picked.amount)}
          >
            {refundVerb(orderId, found, picked.amount)}
          </Button>
        </>
      }
    >
      {request && (
        <blockquote className="wrap-anywhere border-line-control border-s-2 ps-3">
          {request.reason ?? "No reason given"}
          <span className="block text-ink-2 text-note">Asks for {refundText(request)}</span>
        </blockquote>
      )}
      {orderId && !found && !reading.failure && <EffectsSkeleton />}
      <FailureNotice title="The order could not be loaded." unknown={null} of={reading} />
      <fieldset disabled={isLocked} className="grid min-w-0 gap-3.5">
        {found && <Choices found={found} choice={choice} onChoice={setChoice} />}
        {found && choice === "amount" && (
          <Field label="Amount" error={typed === "" ? undefined : picked.fault}>
            <MoneyInput
              unit={currencyUnit(found.currency)}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          </Field>
        )}
        <TextAreaField
          label={request ? "Message to the subscriber" : "Reason"}
          isOptional
          rows={2}
          maxLength={500}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </fieldset>
      <p className="text-ink-2 text-note">
        {found?.accessLimit === "time" ? "Access ends" : "Credits are removed"} first, then the
        money is sent. A retry can’t refund twice.
      </p>
      <FailureNotice title="Nothing was refunded." unknown={UNKNOWN} of={operation} />
    </Dialog>
  );
}

type SignRefundProps = Pick<ReturnType<typeof useAnswers>, "signed" | "operation"> & {
  toSign: RefundPayment;
  found: RefundableOrder;
  onClose: () => void;
};

/** Has the builder's own wallet sign the refund's payment, and sends it. */
function SignRefund({ toSign, found, signed, operation, onClose }: SignRefundProps) {
  const price = currencyMoney(toSign.amount, found.currency);
  return (
    <PaymentDialog
      title="Sign the refund"
      description={`${price} to ${shortenIdentifier(toSign.to)}`}
      grant={toSign}
      verb={`Sign and refund ${price}`}
      isPending={operation.isPending}
      onSigned={(signature) => void signed(toSign, signature)}
      onCancel={onClose}
    >
      <FailureNotice title="Nothing was refunded." unknown={UNKNOWN} of={operation} />
    </PaymentDialog>
  );
}

/** What the order can be refunded, read once when the dialog opens. */
function useRefundable(orderId: string | undefined, getRefundable: RefundActions["getRefundable"]) {
  const [found, setFound] = useState<RefundableOrder>();
  const reading = useOperation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: read once, when the dialog opens.
  useEffect(() => {
    if (orderId) void reading.run(() => getRefundable(orderId), setFound);
  }, []);
  return { found, reading };
}

/** The dialog's two operations; a retry of one dialog refunds once. */
function useAnswers({ actions, onClose, request, orderId }: RefundDialogProps, text: string) {
  const operation = useOperation();
  const [idempotencyKey] = useState(newNonce);
  const done = (said: (refund: Refund) => string) => (refund: Refund) => {
    const isOpen = refund.status === "open";
    const why = refund.failure?.message;
    toast(why ?? (isOpen ? `${said(refund)} The money is on its way.` : said(refund)));
    onClose();
  };
  const refundId = request?.refundId ?? "";
  const message = text === "" ? {} : { message: text };
  const reason = text === "" ? {} : { reason: text };
  const [toSign, setToSign] = useState<RefundPayment>();
  const made = done((refund) => `You refunded ${refundText(refund)}.`);
  /** Refunds; where the builder's own wallet holds the key, gets what it has to sign. */
  const begin = async (
    amount: { amount?: string } = {},
  ): Promise<ActionAnswer<Refund | RefundPayment>> => {
    const answer = request
      ? await actions.acceptRefundRequest({ refundId, ...message, ...amount })
      : await actions.createRefund({ orderId, idempotencyKey, ...reason, ...amount });
    if (answer.ok) {
      const { status, refundId: made } = answer.data;
      return status === "requested" ? actions.getRefundPayment({ refundId: made }) : answer;
    }
    // One that was begun before and not signed, or the subscriber's own request, is signed instead.
    const waiting = answer.details.find(({ path }) => path === "refundId")?.message;
    const isUnsigned = answer.code === "signature_required";
    const unsigned = waiting ?? (isUnsigned ? refundId : undefined);
    return unsigned ? actions.getRefundPayment({ refundId: unsigned, ...amount }) : answer;
  };
  return {
    operation,
    // Closing cancels nothing that was sent, and its failure would be shown nowhere.
    onClose: () => operation.isPending || onClose(),
    toSign,
    signed: (payment: RefundPayment, signature: string) =>
      operation.run(
        () =>
          actions.acceptRefundRequest({
            refundId: payment.refundId,
            amount: payment.amount,
            signature,
            ...message,
          }),
        made,
      ),
    decline: () =>
      operation.run(
        () => actions.declineRefundRequest({ refundId, ...message }),
        done(() => "The request was declined."),
      ),
    refund: (amount: string | undefined) =>
      operation.run(
        () => begin(amount ? { amount } : {}),
        (data) => ("typedData" in data ? setToSign(data) : made(data)),
      ),
  };
}
