"use client";

import { QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { PaymentsError } from "@turnpike/payments/protocol";
import { type ReactNode, useState } from "react";
import { liveEvents } from "./live-events.ts";

const MAX_RETRIES = 2;

/** Caches what a page reads while it is open. Retries failures of the network and the service, never a refusal. */
export function QueryProvider({ children }: { children: ReactNode }) {
  const [client] = useState(
    () =>
      new QueryClient({
        queryCache: new QueryCache({
          onError: (error) => {
            if (PaymentsError.is(error) && error.code === "unauthorized")
              liveEvents.setSignedOut(true);
          },
        }),
        defaultOptions: {
          queries: {
            staleTime: 5_000,
            refetchOnWindowFocus: () => liveEvents.readsAtFocus(),
            retry: (count, error) =>
              count < MAX_RETRIES && (!PaymentsError.is(error) || isTransient(error.httpStatus)),
          },
        },
      }),
  );
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}

const isTransient = (status: number) => status === 0 || status >= 500 || status === 429;
