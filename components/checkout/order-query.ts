import type { OrderReceipt } from "@turnpike/payments/protocol";
import { readQuery } from "../data/read-operation.ts";
import { isOpen, pollDelayMs } from "./order-state.ts";

type PollState = {
  data?: OrderReceipt | undefined;
  dataUpdateCount: number;
  errorUpdateCount: number;
};

/** The receipt of an order as a query, polled until the order has ended. */
export const orderQuery = (orderId: string, first: OrderReceipt) => ({
  ...readQuery("getOrder", { orderId }),
  initialData: first,
  enabled: isOpen(first.status),
  staleTime: 0,
  retry: false,
  refetchOnWindowFocus: true,
  // Called on every render too: only answers are counted.
  refetchInterval: ({ state }: { state: PollState }) =>
    state.data && !isOpen(state.data.status)
      ? false
      : pollDelayMs(state.dataUpdateCount + state.errorUpdateCount, isHidden()),
  refetchIntervalInBackground: true,
});

const isHidden = () => typeof document !== "undefined" && document.hidden;
