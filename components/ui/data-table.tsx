"use client";

import {
  type Cell as CellModel,
  FlexRender,
  type Header,
  type SortingState,
  useTable,
} from "@tanstack/react-table";
import Link from "next/link";
import { Fragment, type KeyboardEvent, type ReactNode } from "react";
import { cn } from "./cn.ts";
import {
  type ColumnLook,
  type DataColumns,
  type DataTableFeatures,
  dataTableFeatures,
} from "./data-table-columns.ts";
import { Icon } from "./icon.tsx";
import { Skeleton } from "./skeleton.tsx";
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
  sorting?: SortingState;
  onSortingChange?: (sorting: SortingState) => void;
  isSortedByServer?: boolean;
  foot?: ReactNode;
  footActions?: ReactNode;
};

const SKELETON_ROWS = 6;
const NO_SORTING: SortingState = [];
const SKELETON_WIDTHS = ["w-14", "w-28", "w-20", "w-24", "w-16"];

/** Rows with one look for all pages; `j` and `k` move between rows that open. */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { caption, columns, rows, rowId, sorting = NO_SORTING, onSortingChange } = props;
  const { isLoading, isRefetching, empty, error, foot, footActions } = props;
  const table = useTable({
    features: dataTableFeatures,
    columns,
    data: rows as Row[],
    getRowId: rowId,
    state: { sorting },
    enableSorting: onSortingChange !== undefined,
    enableSortingRemoval: false,
    manualSorting: props.isSortedByServer,
    onSortingChange: (next) => onSortingChange?.(typeof next === "function" ? next(sorting) : next),
  });
  const headers = table.getHeaderGroups()[0]?.headers ?? [];
  const models = table.getRowModel().rows;
  const message = error ?? (rows.length === 0 && !isLoading ? empty : undefined);
  return (
    <TableFrame aria-busy={isLoading || isRefetching || undefined}>
      {isRefetching && (
        <span className="absolute inset-x-0 top-0 z-1 h-0.5 animate-appear bg-accent" aria-hidden />
      )}
      <Table caption={caption} onKeyDown={moveBetweenRows}>
        <TableHead>
          {headers.map((header) => (
            <Head key={header.id} header={header} />
          ))}
        </TableHead>
        <TableBody>
          {message && <TableMessage columns={headers.length}>{message}</TableMessage>}
          {!message && isLoading && <LoadingRows columns={headers.length} />}
          {!message &&
            !isLoading &&
            models.map((row) => {
              const expansion = props.expansionOf?.(row.original);
              return (
                <Fragment key={row.id}>
                  <TableRow isOpen={row.id === props.openId}>
                    {row.getAllCells().map((cell) => (
                      <BodyCell key={cell.id} cell={cell} row={row.original} {...props} />
                    ))}
                  </TableRow>
                  {expansion && (
                    <tr className="border-line bg-sunken not-last:border-b max-sm:block">
                      <td colSpan={headers.length} className="p-4 max-sm:block">
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

function Head<Row extends object>({ header }: { header: Header<DataTableFeatures, Row, unknown> }) {
  const { column } = header;
  const look = lookOf(column.columnDef);
  const text = header.isPlaceholder ? null : <FlexRender header={header} />;
  if (!column.getCanSort()) {
    return (
      <HeadCell align={look.align} className={look.className}>
        {text}
      </HeadCell>
    );
  }
  const order = column.getIsSorted();
  return (
    <HeadCell
      align={look.align}
      className={look.className}
      aria-sort={order ? (order === "asc" ? "ascending" : "descending") : "none"}
    >
      <button
        type="button"
        onClick={column.getToggleSortingHandler()}
        className={cn(
          "group inline-flex min-h-6 items-center gap-1 hover:text-ink",
          look.align === "end" && "flex-row-reverse",
        )}
      >
        {text}
        <Icon
          name={order === "desc" ? "down" : "up"}
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
  cell: CellModel<DataTableFeatures, Row, unknown>;
  row: Row;
};

const OPENER =
  "text-ink no-underline after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-accent focus-visible:after:-outline-offset-2";

function BodyCell<Row extends object>({ cell, row, hrefOf, onOpen }: BodyCellProps<Row>) {
  const look = lookOf(cell.column.columnDef);
  const content = <FlexRender cell={cell} />;
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

const lookOf = (definition: { meta?: unknown }): ColumnLook =>
  (definition.meta ?? {}) as ColumnLook;

function moveBetweenRows(event: KeyboardEvent<HTMLTableElement>): void {
  const step = event.key === "j" ? 1 : event.key === "k" ? -1 : 0;
  const isTyping = event.target instanceof HTMLElement && event.target.matches("input, textarea");
  if (step === 0 || isTyping || event.metaKey || event.ctrlKey || event.altKey) return;
  const openers = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-row-opener]")];
  const row = (event.target as HTMLElement).closest("tr");
  const at = openers.findIndex((opener) => row?.contains(opener));
  openers[at + step]?.focus();
}
