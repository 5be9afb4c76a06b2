"use client";

import type { InputOf, OutputOf } from "@turnpike/payments/protocol";
import { useCallback, useReducer } from "react";
import { readOperation } from "../data/read-operation.ts";
import { nextLogRows, startLogRows } from "./log-rows.ts";
import type { RequestPage } from "./merge-rows.ts";

const OLDER_PAGE = 100;

/** The rows of one filter: `addNewest` takes the newest page as it changes, `showOlder` reads further back. */
export function useRequestRows(query: InputOf<"listRequests">, first: OutputOf<"listRequests">) {
  const [{ rows, added, older }, dispatch] = useReducer(nextLogRows, first, startLogRows);
  const { nextCursor: cursor } = rows;
  const showOlder = async () => {
    if (!cursor || older === "reading") return;
    dispatch({ kind: "olderRequested" });
    try {
      const page = await readOperation("listRequests", { ...query, cursor, limit: OLDER_PAGE });
      dispatch({ kind: "olderRead", page });
    } catch {
      dispatch({ kind: "olderFailed" });
    }
  };
  const addNewest = useCallback((page: RequestPage) => dispatch({ kind: "newestRead", page }), []);
  return {
    rows: rows.items,
    total: rows.total,
    hasOlder: cursor !== undefined,
    added,
    older,
    showOlder,
    addNewest,
  };
}
