"use client";

import { type ReactNode, useEffect, useRef, useSyncExternalStore } from "react";
import { createListeners } from "../ui/create-listeners.ts";
import { useRememberedChoice } from "../ui/fields/remembered-choice.ts";
import { readVisits, type Visit, visitsToKeep } from "./visits.ts";

const names = new Map<string, Visit>();
const { notify, subscribe } = createListeners();
let latest: Visit | undefined;

/** Names the open page in the breadcrumb, and puts it among the recent ones of Ctrl K. */
export function Visited({ href, name, kind }: Visit): ReactNode {
  useEffect(() => {
    latest = { href, name, kind };
    names.set(href, latest);
    notify();
  }, [href, name, kind]);
  return null;
}

/** The name of a page that was opened, once it is known. */
export const useNameOf = (href: string): string | undefined =>
  useSyncExternalStore(
    subscribe,
    () => names.get(href)?.name,
    () => undefined,
  );

/** The pages this account opened last in this browser, newest first. Mount it once. */
export function useRecent(account: string): Visit[] {
  const [kept, keep] = useRememberedChoice(`recent.${account}`);
  const visit = useSyncExternalStore(
    subscribe,
    () => latest,
    () => undefined,
  );
  const recent = readVisits(kept);
  const written = useRef<Visit>(undefined);
  useEffect(() => {
    const visits = visitsToKeep(recent, visit, written.current);
    written.current = visit;
    if (visits) keep(JSON.stringify(visits));
  });
  return recent;
}
