"use client";

import { Fragment, type KeyboardEvent, memo, type ReactNode, type RefObject, useMemo } from "react";
import { cn } from "../cn.ts";
import { Icon } from "../icon.tsx";
import { Skeleton } from "../skeleton.tsx";
import {
  type DataColumn,
  type DataColumns,
  nextSorting,
  type Sorting,
  sortRows,
} from "./data-table-columns.ts";
import { RowOpener } from "./row-opener.tsx";
import type { RowWindow } from "./row-window.ts";
import {
  Cell,
  HeadCell,
  Table,
  TableBody,
  TableFoot,
  TableFrame,
  TableHead,
  TableMessage,
  TableRow,
} from "./table.tsx";

export type DataTableProps<Row extends object> = {
  /** What the table lists, for screen readers. */
  caption: string;
  /** From `columnsOf<Row>()`, at module scope or memoized. */
  columns: DataColumns<Row>;
  /** Stable between renders: a new array renders every row again. */
  rows: readonly Row[];
  rowId: (row: Row) => string;
  /** Nothing was read yet: shows bars in place of rows. */
  isLoading?: boolean;
  /** New rows are being read: keeps the old ones and shows a line along the top. */
  isRefetching?: boolean;
  /** Shown in place of the rows when there are none: an `Empty`. */
  empty?: ReactNode;
  /** Shown in place of the rows: an `ErrorState`. */
  error?: ReactNode;
  /** Where a row leads; its `opens` column becomes a link. */
  hrefOf?: (row: Row) => string;
  /** Opens a row in place; its `opens` column becomes a button, or with `hrefOf` a link that a click keeps here. */
  onOpen?: (row: Row) => void;
  /** The row that is open beside the table. */
  openId?: string | undefined;
  /** Details under a row; `undefined` for a closed one. */
  expansionOf?: (row: Row) => ReactNode;
  /** Makes columns sortable by their heads. Rows that arrive sorted: `isSortedByServer`. */
  sorting?: Sorting;
  onSortingChange?: (sorting: Sorting) => void;
  isSortedByServer?: boolean;
  foot?: ReactNode;
  footActions?: ReactNode;
  /** The part of a long list that is rendered, from `useRowWindow`. */
  window?: RowWindow;
  body?: RefObject<HTMLTableSectionElement | null>;
  className?: string;
};

const SKELETON_ROWS = 6;
const NO_SORTING: Sorting = [];
const SKELETON_WIDTHS = ["w-14", "w-28", "w-20", "w-24", "w-16"];

/** The table of every page. `j` and `k` move between rows that open. */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { caption, columns, rows, sorting = NO_SORTING, onSortingChange } = props;
  const { isLoading, isRefetching, empty, error, foot, footActions } = props;
  const { isSortedByServer } = props;
  const shown = useMemo(
    () => (isSortedByServer ? rows : sortRows(rows, columns, sorting)),
    [isSortedByServer, rows, columns, sorting],
  );
  const message = error ?? (rows.length === 0 && !isLoading ? empty : undefined);
  return (
    <TableFrame aria-busy={isLoading || isRefetching || undefined}>
      {isRefetching && (
        <span className="absolute inset-x-0 top-0 z-1 h-0.5 animate-appear bg-accent" aria-hidden />
      )}
      <Table
        caption={caption}
        className={props.className}
        aria-rowcount={props.window && rows.length + 1}
        onKeyDown={moveBetweenRows}
      >
        <TableHead>
          {columns.map((column) => (
            <Head
              key={column.id}
              column={column}
              order={sorting.find(({ id }) => id === column.id)}
              onPress={
                onSortingChange && (() => onSortingChange(nextSorting(column, rows, sorting)))
              }
            />
          ))}
        </TableHead>
        <TableBody ref={props.body}>
          {message && <TableMessage columns={columns.length}>{message}</TableMessage>}
          {!message && isLoading && <LoadingRows columns={columns.length} />}
          {!message && !isLoading && <Rows {...props} rows={shown} />}
        </TableBody>
      </Table>
      {isLoading && (
        <p role="status" className="sr-only">
          Loading {caption}
        </p>
      )}
      {(foot || footActions) && <TableFoot actions={footActions}>{foot}</TableFoot>}
    </TableFrame>
  );
}

function Rows<Row extends object>(props: DataTableProps<Row>) {
  const { columns, rows, rowId, hrefOf, onOpen, openId, expansionOf, window } = props;
  const { first = 0, last = rows.length - 1, before = 0, after = 0, measure } = window ?? {};
  return (
    <>
      <Spacer height={before} columns={columns.length} />
      {rows.slice(first, last + 1).map((row, place) => {
        const id = rowId(row);
        const expansion = expansionOf?.(row);
        return (
          <Fragment key={id}>
            <DataRow
              columns={columns as DataColumns<object>}
              row={row}
              index={first + place}
              isOpen={id === openId}
              hrefOf={hrefOf as DataRowProps["hrefOf"]}
              onOpen={onOpen as DataRowProps["onOpen"]}
              isCounted={window !== undefined}
              measure={measure}
            />
            {expansion && (
              <tr className="border-line bg-sunken not-last:border-b max-sm:block">
                <td colSpan={columns.length} className="p-4 max-sm:block">
                  {expansion}
                </td>
              </tr>
            )}
          </Fragment>
        );
      })}
      <Spacer height={after} columns={columns.length} />
    </>
  );
}

/** Takes the height of rows that are not rendered. */
function Spacer({ height, columns }: { height: number; columns: number }) {
  if (height <= 0) return null;
  return (
    <tr className="max-sm:block">
      <td colSpan={columns} className="p-0 max-sm:block" style={{ height }} />
    </tr>
  );
}

type HeadProps<Row> = {
  column: DataColumn<Row>;
  /** The order, if rows are sorted by it. */
  order: Sorting[number] | undefined;
  onPress: (() => void) | undefined;
};

function Head<Row extends object>({ column, order, onPress }: HeadProps<Row>) {
  const { head, look, readValue } = column;
  if (!onPress || !readValue) {
    return (
      <HeadCell align={look.align} className={look.className}>
        {head}
      </HeadCell>
    );
  }
  return (
    <HeadCell
      align={look.align}
      className={look.className}
      aria-sort={order ? (order.desc ? "descending" : "ascending") : "none"}
    >
      <button
        type="button"
        onClick={onPress}
        className={cn(
          "group inline-flex min-h-6 items-center gap-1 hover:text-ink",
          look.align === "end" && "flex-row-reverse",
        )}
      >
        {head}
        <Icon
          name={order?.desc ? "down" : "up"}
          className={order ? "size-3" : "size-3 opacity-0 group-hover:opacity-60"}
        />
      </button>
    </HeadCell>
  );
}

type DataRowProps = {
  columns: DataColumns<object>;
  row: object;
  index: number;
  isOpen: boolean;
  hrefOf: ((row: object) => string) | undefined;
  onOpen: ((row: object) => void) | undefined;
  /** Sets `aria-rowindex`, where not every row is rendered. */
  isCounted: boolean;
  measure: RowWindow["measure"];
};

const DataRow = memo(function DataRow(props: DataRowProps) {
  const { columns, row, index, isOpen, hrefOf, onOpen, isCounted, measure } = props;
  return (
    <TableRow
      ref={measure}
      data-index={index}
      aria-rowindex={isCounted ? index + 2 : undefined}
      isOpen={isOpen}
    >
      {columns.map(({ id, look, contentOf }) => {
        const content = contentOf(row);
        const isOpener = look.opens && (hrefOf || onOpen);
        return (
          <Cell
            key={id}
            align={look.align}
            phone={look.phone}
            label={look.phoneLabel}
            className={look.className}
          >
            {isOpener ? (
              <RowOpener href={hrefOf?.(row)} onOpen={onOpen && (() => onOpen(row))}>
                {content}
              </RowOpener>
            ) : look.hasActions ? (
              <span className="relative z-1 inline-flex items-center gap-1">{content}</span>
            ) : (
              content
            )}
          </Cell>
        );
      })}
    </TableRow>
  );
});

function LoadingRows({ columns }: { columns: number }) {
  return Array.from({ length: SKELETON_ROWS }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: bars have no identity.
    <TableRow key={row} aria-hidden="true" className="hover:bg-transparent">
      {Array.from({ length: columns }, (_, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bars have no identity.
        <Cell key={column}>
          <Skeleton className={SKELETON_WIDTHS[(row + column) % SKELETON_WIDTHS.length]} />
        </Cell>
      ))}
    </TableRow>
  ));
}

function moveBetweenRows(event: KeyboardEvent<HTMLTableElement>): void {
  const step = event.key === "j" ? 1 : event.key === "k" ? -1 : 0;
  const isTyping = event.target instanceof HTMLElement && event.target.matches("input, textarea");
  if (step === 0 || isTyping || event.metaKey || event.ctrlKey || event.altKey) return;
  const openers = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-row-opener]")];
  const row = (event.target as HTMLElement).closest("tr");
  const at = openers.findIndex((opener) => row?.contains(opener));
  event.preventDefault();
  openers[at + step]?.focus();
}
