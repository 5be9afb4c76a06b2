"use client";

import type { RequestRecord } from "@turnpike/payments/protocol";
import { useSearchParams } from "next/navigation";
import { useCallback } from "react";

type Show = (id: string | undefined, options?: { isStep?: boolean }) => void;

/** The request in the side panel, kept in the address, with its neighbours in the list. */
export function useOpenRequest(rows: readonly RequestRecord[]) {
  const openId = useSearchParams().get("open") ?? undefined;
  const at = rows.findIndex(({ agentRequestId }) => agentRequestId === openId);
  const show: Show = useCallback((id, { isStep = false } = {}) => {
    const url = new URL(window.location.href);
    if (id === undefined) url.searchParams.delete("open");
    else url.searchParams.set("open", id);
    // The list stays as it is: only the address changes, and Back closes the panel.
    if (isStep || id === undefined) window.history.replaceState(null, "", url);
    else window.history.pushState(null, "", url);
  }, []);
  const open = useCallback(({ agentRequestId }: RequestRecord) => show(agentRequestId), [show]);
  const close = useCallback(() => show(undefined), [show]);
  const neighbour = (step: 1 | -1) => {
    const next = at === -1 ? undefined : rows[at + step];
    return next && (() => show(next.agentRequestId, { isStep: true }));
  };
  return {
    openId,
    record: rows[at],
    open,
    close,
    previous: neighbour(-1),
    next: neighbour(1),
  };
}
