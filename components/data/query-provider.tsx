"use client";

import { QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { PaymentsError } from "@turnpike/payments/protocol";
import { type ReactNode, useState } from "react";
import { liveEvents } from "./live-events.ts";
import { isAccountChanged } from "./shown-account.ts";

const MAX_RETRIES = 2;

/** Caches what a page reads while it is open. Retries failures of the network and the service, never a refusal. */
export function QueryProvider({ children }: { children: ReactNode }) {
  const [client] = useState(
    () =>
      new QueryClient({
        queryCache: new QueryCache({
          onError: (error) => {
            if (!PaymentsError.is(error)) return;
            if (error.code === "unauthorized") liveEvents.setSignedOut(true);
            if (isAccountChanged(error.details)) liveEvents.accountChanged();
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
