"use client";

import type { ReactNode } from "react";
import { useEffect, useSyncExternalStore } from "react";
import { useRememberedChoice } from "../ui/fields/remembered-choice.ts";

/** An object's page: what it is called, and what it is. */
export type Visit = { href: string; name: string; kind: string };

const MOST = 6;
const names = new Map<string, Visit>();
const listeners = new Set<() => void>();

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};
let latest: Visit | undefined;

/** Names the open page in the breadcrumb, and puts it among the recent ones of Ctrl K. */
export function Visited({ href, name, kind }: Visit): ReactNode {
  useEffect(() => {
    latest = { href, name, kind };
    names.set(href, latest);
    for (const listener of listeners) listener();
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
  useEffect(() => {
    if (!visit || (recent[0]?.href === visit.href && recent[0].name === visit.name)) return;
    const others = recent.filter(({ href }) => href !== visit.href);
    keep(JSON.stringify([visit, ...others].slice(0, MOST)));
  });
  return recent;
}

function readVisits(text: string | undefined): Visit[] {
  try {
    const all: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(all) ? all.filter(isVisit) : [];
  } catch {
    return [];
  }
}

const isVisit = (one: unknown): one is Visit =>
  typeof one === "object" &&
  one !== null &&
  "href" in one &&
  typeof one.href === "string" &&
  /^\/[^/\\]/.test(one.href) &&
  "name" in one &&
  typeof one.name === "string" &&
  "kind" in one &&
  typeof one.kind === "string";
