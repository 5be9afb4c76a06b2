"use client";

import { type ReactNode, useEffect, useRef, useState } from "react";
import { moneyText } from "../ui/values/money-text.ts";
import { PermissionSentence } from "../ui/values/permission-sentence.tsx";
import { clockText, dateText } from "../ui/values/time-text.ts";
import type { Limits } from "./read-limits.ts";

const CENTS = 2;
const SAID_EVERY_MS = 1_000;

type LimitSentenceProps = {
  /** What is charged: "Visa ending 4242", "your account". */
  backing: string;
  /** Absent while a field cannot be read. */
  limits: Limits | undefined;
  currency: string;
  /** The clock of the service, ISO 8601. */
  now: string;
  /** Whose use it is: "Agents using this token". */
  who?: string;
};

/** What is granted, as it is typed; read out once a second at most. */
export function LimitSentence({
  backing,
  limits,
  currency,
  now,
  who = "Agents",
}: LimitSentenceProps) {
  const text = useRef<HTMLDivElement>(null);
  const said = useSaid(text, limits);
  if (!limits) {
    return <PermissionSentence>Mend the field above to read what you grant.</PermissionSentence>;
  }
  const { spendingLimitCents, durationSecs, maxTransactions } = limits;
  const parts: ReactNode = (
    <>
      {who} can charge {backing.startsWith("your ") ? backing : "your "}
      {!backing.startsWith("your ") && <b>{backing}</b>} up to{" "}
      <b>{moneyText(spendingLimitCents, CENTS, currency)}</b> in total
      {maxTransactions !== undefined && (
        <>
          , at most <b>{maxTransactions === 1 ? "once" : `${maxTransactions} times`}</b>
        </>
      )}
      , until <b>{untilText(now, durationSecs)}</b>. You can stop this at any time.
    </>
  );
  return (
    <div ref={text}>
      <PermissionSentence>{parts}</PermissionSentence>
      <p role="status" className="sr-only">
        {said}
      </p>
    </div>
  );
}

/** `28 Nov 2026 14:10 UTC`. */
function untilText(now: string, durationSecs: number): string {
  const end = new Date(Date.parse(now) + durationSecs * 1_000);
  return `${dateText(end)} ${clockText(end).slice(0, 5)} UTC`;
}

/** The sentence a second after the last change, for those who hear it; nothing at first. */
function useSaid(text: { current: HTMLDivElement | null }, limits: Limits | undefined): string {
  const [said, setSaid] = useState("");
  const isFirst = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: every change of the limits is to be said.
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    const timer = setTimeout(
      () => setSaid(text.current?.querySelector("p")?.textContent ?? ""),
      SAID_EVERY_MS,
    );
    return () => clearTimeout(timer);
  }, [limits?.spendingLimitCents, limits?.durationSecs, limits?.maxTransactions]);
  return said;
}
