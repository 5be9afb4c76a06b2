import { type ReactNode, useEffect, useRef, useState } from "react";
import { plural } from "@/lib/text/plural.ts";
import { amountText, minorText } from "../ui/values/money-text.ts";
import { PermissionSentence } from "../ui/values/permission-sentence.tsx";
import { minuteText } from "../ui/values/time-text.ts";
import type { Limits, TokenPrice } from "./read-limits.ts";

const READ_OUT_AFTER_MS = 1_000;

type LimitSentenceProps = {
  /** What is charged: "Visa ending in 4242", "your account". */
  backing: string;
  /** Absent while a field cannot be read. */
  limits: Limits | undefined;
  currency: string;
  /** The token that `orderLimit` counts in. */
  token?: TokenPrice | null | undefined;
  now: string;
  /** Who may charge: "Agents using this token". */
  who?: string;
  children?: ReactNode;
};

/** The limits as a sentence while they are typed; screen readers hear it once typing pauses. */
export function LimitSentence({
  backing,
  limits,
  currency,
  token,
  now,
  who = "Agents",
  children,
}: LimitSentenceProps) {
  const text = useRef<HTMLDivElement>(null);
  const readOut = useReadOut(text, limits);
  if (!limits) {
    return <PermissionSentence>Fix the field above to see what you allow.</PermissionSentence>;
  }
  const { spendingLimitCents, orderLimit = "0", durationSecs, maxTransactions } = limits;
  const limit = token
    ? `${amountText(orderLimit, token.decimals)} ${token.currency}`
    : minorText(spendingLimitCents, currency);
  const isAccount = backing.startsWith("your ");
  return (
    <div ref={text}>
      <PermissionSentence>
        {who} can charge{" "}
        {isAccount ? (
          backing
        ) : (
          <>
            your <b>{backing}</b>
          </>
        )}{" "}
        up to <b>{limit}</b> in total
        {maxTransactions !== undefined && (
          <>
            , at most <b>{maxTransactions === 1 ? "once" : plural(maxTransactions, "time")}</b>
          </>
        )}
        , until <b>{minuteText(new Date(Date.parse(now) + durationSecs * 1_000))}</b>. {children}{" "}
        You can revoke this at any time.
      </PermissionSentence>
      <p role="status" className="sr-only">
        {readOut}
      </p>
    </div>
  );
}

/** The sentence a second after the last change, for screen readers; empty at first. */
function useReadOut(text: { current: HTMLDivElement | null }, limits: Limits | undefined): string {
  const [readOut, setReadOut] = useState("");
  const isFirst = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: every change of the limits is read out.
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    const timer = setTimeout(
      () => setReadOut(text.current?.querySelector("p")?.textContent ?? ""),
      READ_OUT_AFTER_MS,
    );
    return () => clearTimeout(timer);
  }, [
    limits?.spendingLimitCents,
    limits?.orderLimit,
    limits?.durationSecs,
    limits?.maxTransactions,
  ]);
  return readOut;
}
