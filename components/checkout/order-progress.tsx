"use client";

import { useQuery } from "@tanstack/react-query";
import type { OrderReceipt } from "@turnpike/payments/protocol";
import { useRouter } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { StepTimeline } from "../ui/data/step-timeline.tsx";
import { Rule } from "../ui/rule.tsx";
import { Identifier } from "../ui/values/identifier.tsx";
import { OrderOutcome, type OutcomeProps } from "./order-outcome.tsx";
import { orderQuery } from "./order-query.ts";
import { hasEnded, orderStateOf, type Usual } from "./order-state.ts";
import { stepsOf } from "./order-steps.ts";

export type OrderProgressProps = Omit<
  OutcomeProps,
  "state" | "receipt" | "onCheck" | "isChecking"
> & {
  receipt: OrderReceipt;
  usual?: Usual | undefined;
  now: string;
  isOwnWallet: boolean;
};

/** The progress of an order: the same after a reload, in another tab and in another browser. */
export function OrderProgress({
  receipt: first,
  usual,
  now,
  isOwnWallet,
  ...props
}: OrderProgressProps) {
  const { order, price, isCard, grant } = props;
  const router = useRouter();
  const { data: receipt, refetch, isFetching } = useQuery(orderQuery(order.orderId, first));
  const isOpenNow = receipt.status === "reserved" || receipt.status === "charging";
  const ageMs = useAge(order.createdAt, now, isOpenNow);
  const state = orderStateOf(receipt.status, { ageMs, isCard, usual });
  const isOver = hasEnded(state);
  const wasOver = useRef(isOver);
  const heading = useRef<HTMLHeadingElement>(null);

  // Also for an order that ended before this page opened.
  useEffect(() => {
    if (isOver) heading.current?.focus();
  }, [isOver]);

  useEffect(() => {
    if (!isOver || wasOver.current) return;
    wasOver.current = true;
    // Reloads the rest of the page, such as the balance.
    router.refresh();
  }, [isOver, router]);

  const secs = Math.floor(ageMs / 1_000);
  const facts = {
    ...order,
    status: receipt.status,
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
        {statusText(state, steps)}
      </p>
      {isWaiting && (
        <Button look="primary" size="big" isPending>
          {isCard ? "Waiting for the bank" : "Waiting for the block"}
        </Button>
      )}
      <p className="flex flex-wrap items-center gap-x-1 text-ink-2 text-small">
        {state !== "confirmed" && (
          <>
            Order <Identifier value={order.orderId} name="order ID" />
          </>
        )}
        Reloading this page never charges twice.
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
        label={`${Math.floor(elapsed)} seconds so far; usually ${from} to ${to} seconds`}
        unit="s"
        atLeast={Math.max(4, to)}
        bars={[
          { key: "usual", from, to: Math.max(to, from + 0.1), look: "band" },
          { key: "elapsed", from: 0, to: elapsed, look: "running", isThin: true },
        ]}
      />
      <p className="text-small tabular-nums">
        Usually {from} to {to} s, measured over your last {usual.orders} orders.
      </p>
    </div>
  );
}

function statusText(state: string, steps: { title: React.ReactNode; status: string }[]): string {
  const at = steps.findIndex(({ status }) => status === "running" || status === "warn");
  if (state === "confirmed") return "Confirmed.";
  if (at === -1) return "";
  return `Step ${at + 1} of ${steps.length}, ${String(steps[at]?.title)}, ${state === "unknown" ? "unknown" : "waiting"}`;
}

/** How old an order is by the service's clock, ticking while it is open. */
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
