"use client";

import type { InputOf, OutputOf } from "@turnpike/payments/protocol";
import { useEffect, useRef, useState } from "react";
import { readOperation } from "../data/read-operation.ts";
import { usePolled } from "../data/use-polled.ts";
import { appendOlder, mergeNewest, type Rows, rowKey } from "./merge-rows.ts";
import { FIRST_PAGE } from "./page-sizes.ts";

const OLDER_PAGE = 100;
const TAIL_EACH_MS = 2_000;

/**
 * The rows of one filter: the newest page is read again every two seconds while `isLive` (and the tab is
 * seen), older ones when they are asked for.
 */
export function useRequestRows(
  query: InputOf<"listRequests">,
  first: OutputOf<"listRequests">,
  isLive: boolean,
) {
  const [rows, setRows] = useState<Rows>(first);
  const [came, setCame] = useState(0);
  const known = useRef<Rows>(first);

  const newest = usePolled(
    "listRequests",
    { ...query, limit: FIRST_PAGE },
    { eachMs: TAIL_EACH_MS, first, isOn: isLive },
  );
  useEffect(() => {
    const page = newest.data;
    if (!page) return;
    const before = new Set(known.current.items.map(rowKey));
    setCame(page.items.filter((row) => !before.has(rowKey(row))).length);
    const merged = mergeNewest(known.current, page);
    known.current = merged;
    setRows(merged);
  }, [newest.data]);

  const [older, setOlder] = useState<"idle" | "reading" | "failed">("idle");
  const { nextCursor: cursor } = rows;
  const showOlder = async () => {
    if (!cursor || older === "reading") return;
    setOlder("reading");
    try {
      const page = await readOperation("listRequests", { ...query, cursor, limit: OLDER_PAGE });
      known.current = appendOlder(known.current, page);
      setRows(known.current);
      setOlder("idle");
    } catch {
      setOlder("failed");
    }
  };
  return {
    rows: rows.items,
    total: rows.total,
    hasOlder: cursor !== undefined,
    /** How many rows the last reading brought. */
    came,
    showOlder,
    isReadingOlder: older === "reading",
    olderFailed: older === "failed",
    tailFailed: newest.isError,
  };
}
