"use client";

import { useQuery } from "@tanstack/react-query";
import { type OrderReceipt, PaymentsError } from "@turnpike/payments/protocol";
import { useEffect, useRef, useState } from "react";
import { readQuery } from "../data/read-operation.ts";
import { isOpen, pollDelayMs } from "./order-state.ts";

/** The receipt of an order, polled until the order has ended. */
export function useOrderReceipt(orderId: string, first: OrderReceipt) {
  const polls = useRef(0);
  const { data, error, refetch, isFetching } = useQuery({
    ...readQuery("getOrder", { orderId }),
    initialData: first,
    enabled: isOpen(first.status),
    staleTime: 0,
    retry: false,
    refetchOnWindowFocus: true,
    refetchInterval: ({ state }) => {
      if (isDecline(state.error) || (state.data && !isOpen(state.data.status))) return false;
      polls.current += 1;
      return pollDelayMs(polls.current, isHidden());
    },
    refetchIntervalInBackground: true,
  });
  // The answer for a declined order is its error.
  const receipt: OrderReceipt = isDecline(error)
    ? { ...data, success: false, status: "declined", message: error.message, code: reasonOf(error) }
    : data;
  return { receipt, check: () => void refetch(), isChecking: isFetching };
}

/** How old an order is by the service's clock, ticking while it is open. */
export function useAge(createdAt: string, now: string, isTicking: boolean): number {
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

const isHidden = () => typeof document !== "undefined" && document.hidden;

const isDecline = (cause: unknown): cause is PaymentsError =>
  PaymentsError.is(cause) && cause.code === "payment_refused";

const reasonOf = ({ details }: PaymentsError): string => details?.[0]?.message ?? "declined";
