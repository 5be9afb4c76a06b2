import { Elements, PaymentElement, useElements, useStripe } from "@stripe/react-stripe-js";
import { type Appearance, loadStripe } from "@stripe/stripe-js";
import type { CardSetup } from "@turnpike/payments/protocol";
import { useTheme } from "next-themes";
import { useEffect, useMemo, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { refusalOf, wasConfirmed } from "./card-setup-progress.ts";

type StripeCardProps = {
  setup: Pick<CardSetup, "clientSecret" | "publishableKey">;
  onConfirmed: () => Promise<void>;
  onRefused: (refusal: ReturnType<typeof refusalOf>) => void;
};

/** Stripe's own card fields, in its frame: the card number never reaches this page. */
export default function StripeCard({ setup, ...props }: StripeCardProps) {
  const { resolvedTheme } = useTheme();
  const [isBlocked, setBlocked] = useState(false);
  const stripe = useMemo(
    () =>
      loadStripe(setup.publishableKey).catch(() => {
        setBlocked(true);
        return null;
      }),
    [setup.publishableKey],
  );
  const [appearance, setAppearance] = useState<Appearance>({});
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours change with the theme.
  useEffect(() => setAppearance(readAppearance()), [resolvedTheme]);
  if (isBlocked) {
    return (
      <Notice tone="refused" title="The card form could not be loaded.">
        Your browser or network blocks js.stripe.com. No card was charged.
      </Notice>
    );
  }
  return (
    <Elements
      stripe={stripe}
      options={{ clientSecret: setup.clientSecret, locale: "en", appearance }}
    >
      <Fields {...props} />
    </Elements>
  );
}

function Fields({ onConfirmed, onRefused }: Omit<StripeCardProps, "setup">) {
  const stripe = useStripe();
  const elements = useElements();
  const [isPending, setPending] = useState(false);
  const save = async () => {
    if (!stripe || !elements) return;
    setPending(true);
    const { error } = await stripe.confirmSetup({ elements, redirect: "if_required" });
    if (error && !wasConfirmed(error)) onRefused(refusalOf(error));
    else await onConfirmed();
    setPending(false);
  };
  return (
    <div className="grid gap-3">
      <PaymentElement />
      <Button look="primary" isPending={isPending || !stripe} onClick={save}>
        Save card
      </Button>
    </div>
  );
}

/** Our colours for Stripe's frame, which cannot read this page's styles. */
function readAppearance(): Appearance {
  const style = getComputedStyle(document.body);
  const probe = document.createElement("span");
  document.body.append(probe);
  const colourOf = (name: string) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const appearance: Appearance = {
    theme: "stripe",
    variables: {
      colorPrimary: colourOf("--accent"),
      colorBackground: colourOf("--surface"),
      colorText: colourOf("--text"),
      colorTextSecondary: colourOf("--text-2"),
      colorDanger: colourOf("--refused"),
      fontFamily: style.fontFamily,
      borderRadius: "6px",
    },
  };
  probe.remove();
  return appearance;
}
