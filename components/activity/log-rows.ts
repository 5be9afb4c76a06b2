import { appendOlder, mergeNewest, type RequestPage, type Rows, rowKey } from "./merge-rows.ts";

/** The list of requests on the page: what was read, and how reading goes on. */
export type LogRows = {
  /** The filter they match, as a query string. */
  filter: string;
  rows: Rows;
  /** How many rows the last reading of the newest page added. */
  added: number;
  older: "idle" | "reading" | "failed";
};

export type LogRowsEvent = { filter: string } & (
  | { kind: "filterChosen"; page: RequestPage }
  | { kind: "newestRead"; page: RequestPage }
  | { kind: "olderRequested" }
  | { kind: "olderRead"; page: RequestPage }
  | { kind: "olderFailed" }
);

type Opened = { filter: string; page: RequestPage };

export const startLogRows = ({ filter, page }: Opened): LogRows => ({
  filter,
  rows: page,
  added: 0,
  older: "idle",
});

export function nextLogRows(state: LogRows, event: LogRowsEvent): LogRows {
  if (event.kind === "filterChosen") return startLogRows(event);
  // The answer to what was asked under another filter.
  if (event.filter !== state.filter) return state;
  switch (event.kind) {
    case "newestRead": {
      const known = new Set(state.rows.items.map(rowKey));
      const added = event.page.items.filter((row) => !known.has(rowKey(row))).length;
      return { ...state, rows: mergeNewest(state.rows, event.page), added };
    }
    case "olderRequested":
      return { ...state, older: "reading" };
    case "olderRead":
      return { ...state, rows: appendOlder(state.rows, event.page), older: "idle" };
    case "olderFailed":
      return { ...state, older: "failed" };
  }
}

/** Whether the end of the list may read on automatically. After a failure only the button retries: the end stays in sight. */
export const readsOn = ({ rows, older }: Pick<LogRows, "rows" | "older">): boolean =>
  rows.nextCursor !== undefined && older === "idle";
