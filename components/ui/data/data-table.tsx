"use client";

import Link from "next/link";
import { Fragment, type KeyboardEvent, type ReactNode, useMemo } from "react";
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
  /** What the table lists; read out, not shown. */
  caption: string;
  /** From `columnsOf<Row>()`, at module scope. */
  columns: DataColumns<Row>;
  /** Stable between renders: a fresh array makes every row anew. */
  rows: readonly Row[];
  rowId: (row: Row) => string;
  /** Nothing was read yet: rows of bars stand in. */
  isLoading?: boolean;
  /** Old rows stay while new ones are read; a line runs along the top. */
  isRefetching?: boolean;
  /** Stands where the rows would: an `Empty`. */
  empty?: ReactNode;
  /** Stands where the rows would: an `ErrorState`. */
  error?: ReactNode;
  /** Where a row leads; its `opens` column becomes a link. */
  hrefOf?: (row: Row) => string;
  /** Opens a row in place; its `opens` column becomes a button. */
  onOpen?: (row: Row) => void;
  /** The row that is open beside the table. */
  openId?: string;
  /** More about a row, under it; `undefined` for a closed one. */
  expansionOf?: (row: Row) => ReactNode;
  /** Columns can be sorted by their heads when given. Rows that come sorted: `isSortedByServer`. */
  sorting?: Sorting;
  onSortingChange?: (sorting: Sorting) => void;
  isSortedByServer?: boolean;
  foot?: ReactNode;
  footActions?: ReactNode;
};

const SKELETON_ROWS = 6;
const NO_SORTING: Sorting = [];
const SKELETON_WIDTHS = ["w-14", "w-28", "w-20", "w-24", "w-16"];

/** Rows with one look for all pages; `j` and `k` move between rows that open. */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { caption, columns, rows, rowId, sorting = NO_SORTING, onSortingChange } = props;
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
      <Table caption={caption} onKeyDown={moveBetweenRows}>
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
        <TableBody>
          {message && <TableMessage columns={columns.length}>{message}</TableMessage>}
          {!message && isLoading && <LoadingRows columns={columns.length} />}
          {!message &&
            !isLoading &&
            shown.map((row) => {
              const id = rowId(row);
              const expansion = props.expansionOf?.(row);
              return (
                <Fragment key={id}>
                  <TableRow isOpen={id === props.openId}>
                    {columns.map((column) => (
                      <BodyCell key={column.id} column={column} row={row} {...props} />
                    ))}
                  </TableRow>
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
        </TableBody>
      </Table>
      {isLoading && (
        <p role="status" className="sr-only">
          Loading: {caption}
        </p>
      )}
      {(foot || footActions) && <TableFoot actions={footActions}>{foot}</TableFoot>}
    </TableFrame>
  );
}

type HeadProps<Row> = {
  column: DataColumn<Row>;
  /** How rows are sorted by it, if they are. */
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

type BodyCellProps<Row extends object> = Pick<
  DataTableProps<Row>,
  "hrefOf" | "onOpen" | "openId"
> & {
  column: DataColumn<Row>;
  row: Row;
};

const OPENER =
  "text-ink no-underline after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-accent focus-visible:after:-outline-offset-2";

function BodyCell<Row extends object>({ column, row, hrefOf, onOpen }: BodyCellProps<Row>) {
  const { look } = column;
  const content = column.contentOf(row);
  return (
    <Cell align={look.align} phone={look.phone} label={look.phoneLabel} className={look.className}>
      {look.opens && hrefOf ? (
        <Link href={hrefOf(row)} data-row-opener className={OPENER}>
          {content}
        </Link>
      ) : look.opens && onOpen ? (
        <button
          type="button"
          data-row-opener
          onClick={() => onOpen(row)}
          className={`text-start ${OPENER}`}
        >
          {content}
        </button>
      ) : look.hasActions ? (
        <span className="relative z-1 inline-flex items-center gap-1">{content}</span>
      ) : (
        content
      )}
    </Cell>
  );
}

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
  openers[at + step]?.focus();
}
