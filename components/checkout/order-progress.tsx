"use client";

import { useQuery } from "@tanstack/react-query";
import { type OrderReceipt, PaymentsError } from "@turnpike/payments/protocol";
import { useRouter } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { readQuery } from "../data/read-operation.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { StepTimeline } from "../ui/data/step-timeline.tsx";
import { Rule } from "../ui/rule.tsx";
import { Identifier } from "../ui/values/identifier.tsx";
import { OrderOutcome, type OutcomeProps } from "./order-outcome.tsx";
import { isOver, orderStateOf, pollDelayMs, type Usual } from "./order-state.ts";
import { stepsOf } from "./order-steps.ts";

export type OrderProgressProps = Omit<
  OutcomeProps,
  "state" | "receipt" | "onCheck" | "isChecking"
> & {
  receipt: OrderReceipt;
  usual?: Usual | undefined;
  /** The clock of the service, ISO 8601. */
  now: string;
  isOwnWallet: boolean;
};

/** An order as it goes: the same after a reload, in another tab and in another browser. */
export function OrderProgress({
  receipt: first,
  usual,
  now,
  isOwnWallet,
  ...props
}: OrderProgressProps) {
  const { order, price, isCard, grant } = props;
  const router = useRouter();
  const asked = useRef(0);
  const { data, error, refetch, isFetching } = useQuery({
    ...readQuery("getOrder", { orderId: order.orderId }),
    initialData: first,
    enabled: !["minted", "declined", "refunded"].includes(first.status),
    staleTime: 0,
    retry: false,
    refetchOnWindowFocus: true,
    refetchInterval: (query) => {
      if (isRefusal(query.state.error)) return false;
      const status = query.state.data?.status;
      if (status === "minted" || status === "declined" || status === "refunded") return false;
      asked.current += 1;
      return pollDelayMs(asked.current, isHidden());
    },
    refetchIntervalInBackground: true,
  });
  // A refused order answers with its refusal.
  const receipt: OrderReceipt = isRefusal(error)
    ? { ...data, success: false, status: "declined", message: error.message, code: reasonOf(error) }
    : data;
  const ageMs = useAge(order.createdAt, now, isOpenStatus(receipt.status));
  const state = orderStateOf(receipt.status, { ageMs, isCard, usual });
  const hasEnded = isOver(state);
  const wasOver = useRef(hasEnded);
  const heading = useRef<HTMLHeadingElement>(null);

  // Also of an order that was over before its page came up: it can take less time than the way here.
  useEffect(() => {
    if (hasEnded) heading.current?.focus();
  }, [hasEnded]);

  useEffect(() => {
    if (!hasEnded || wasOver.current) return;
    wasOver.current = true;
    // What the page says besides, such as the balance, is read anew.
    router.refresh();
  }, [hasEnded, router]);

  const secs = Math.floor(ageMs / 1_000);
  const facts = {
    status: receipt.status,
    createdAt: order.createdAt,
    updatedAt: order.updatedAt,
    reference: receipt.txHash ?? order.reference,
  };
  const words = { price, grant, isCard, isFree: props.isFree, isOwnWallet };
  const isWaiting = state === "sent" || state === "processing-card" || state === "slow";
  const steps = stepsOf(facts, state, `${secs} s`, words);
  return (
    <div className="grid gap-5" data-order-state={state}>
      <OrderOutcome
        {...props}
        headingRef={heading}
        receipt={receipt}
        state={state}
        onCheck={() => void refetch()}
        isChecking={isFetching}
      />
      <Card isPadded={false} className="overflow-hidden">
        <h2 className="sr-only">Progress</h2>
        <StepTimeline label="Steps of this order" steps={steps} className="rounded-none border-0" />
        {isWaiting && usual && <UsualWait usual={usual} elapsedMs={ageMs} />}
      </Card>
      <p role="status" className="sr-only">
        {said(state, steps)}
      </p>
      {isWaiting && (
        <Button look="primary" size="big" isPending>
          {isCard ? "Waiting for the bank" : "Waiting for the block"}
        </Button>
      )}
      <p className="flex flex-wrap items-center gap-x-1 text-ink-2 text-small">
        Order <Identifier value={order.orderId} name="order id" /> Reloading brings you back to this
        state; it never pays twice.
      </p>
    </div>
  );
}

function UsualWait({ usual, elapsedMs }: { usual: Usual; elapsedMs: number }) {
  const secs = (ms: number) => Math.round(ms / 100) / 10;
  const [from, to, elapsed] = [secs(usual.fromMs), secs(usual.toMs), secs(elapsedMs)];
  return (
    <div className="grid gap-1 border-line border-t px-4 py-3">
      <Rule
        label={`${Math.floor(elapsed)} seconds so far; usual is ${from} to ${to} seconds`}
        unit="s"
        atLeast={Math.max(4, to)}
        bars={[
          { key: "usual", from, to: Math.max(to, from + 0.1), look: "band" },
          { key: "elapsed", from: 0, to: elapsed, look: "running", isThin: true },
        ]}
      />
      <p className="text-small tabular-nums">
        Usual here: {from} to {to} s, measured over your last {usual.orders} orders.
      </p>
    </div>
  );
}

/** On the server nobody looks yet. */
const isHidden = () => typeof document !== "undefined" && document.hidden;

const isRefusal = (cause: unknown): cause is PaymentsError =>
  PaymentsError.is(cause) && cause.code === "payment_refused";

const reasonOf = ({ details }: PaymentsError): string => details?.[0]?.message ?? "declined";

const isOpenStatus = (status: OrderReceipt["status"]) =>
  status === "reserved" || status === "charging";

/** How old the order is by the service's clock, ticking while it is open. */
function useAge(createdAt: string, now: string, isTicking: boolean): number {
  const start = Date.parse(now) - Date.parse(createdAt);
  const [elapsed, setElapsed] = useState(0);
  useEffect(() => {
    if (!isTicking) return;
    const opened = performance.now();
    const timer = setInterval(() => setElapsed(performance.now() - opened), 500);
    return () => clearInterval(timer);
  }, [isTicking]);
  return start + elapsed;
}

function said(state: string, steps: { title: React.ReactNode; status: string }[]): string {
  const at = steps.findIndex(({ status }) => status === "running" || status === "warn");
  if (state === "confirmed") return "Confirmed.";
  if (at === -1) return "";
  return `Step ${at + 1} of ${steps.length}, ${String(steps[at]?.title)}, ${state === "unknown" ? "not known" : "waiting"}`;
}
