import {
  Fragment,
  type KeyboardEvent,
  type MouseEvent,
  memo,
  type ReactNode,
  type RefObject,
} from "react";
import { NearLink } from "../links/near-link.tsx";
import { LiveButton } from "../live-button.tsx";
import { Skeleton } from "../skeleton.tsx";
import { cellOf, type DataColumns } from "./data-table-columns.ts";
import { Pagination, type PaginationProps } from "./pagination.tsx";
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
  columns: DataColumns<Row>;
  /** Stable between renders: a new array renders every row again. */
  rows: readonly Row[];
  rowId: (row: Row) => string;
  /** Nothing was read yet: shows bars in place of rows. */
  isLoading?: boolean;
  /** Shown in place of the rows when there are none: an `Empty`. */
  empty?: ReactNode;
  /** Where a row leads; its `opens` column becomes a link, or plain text in a row that leads nowhere. */
  hrefOf?: (row: Row) => string | undefined;
  /** Opens a row in place; its `opens` column becomes a button, or with `hrefOf` a link that a click keeps here. */
  onOpen?: (row: Row) => void;
  openId?: string | undefined;
  /** Details under a row; `undefined` for a closed one. */
  expansionOf?: (row: Row) => ReactNode;
  foot?: ReactNode;
  footActions?: ReactNode;
  /** The pages beside this one; buttons for them end the foot. */
  pages?: PaginationProps;
  /** The part of a long list that is rendered, from `useRowWindow`. */
  window?: RowWindow;
  body?: RefObject<HTMLTableSectionElement | null>;
  className?: string;
};

/** What a page gives the table of a list besides its rows. */
export type ListProps = Pick<DataTableProps<object>, "empty" | "foot" | "pages">;

const SKELETON_ROWS = 6;
const SKELETON_WIDTHS = ["w-14", "w-28", "w-20", "w-24", "w-16"];

/** The table of every page. `j` and `k` move between rows that open. */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { caption, columns, rows, isLoading, empty, foot, pages } = props;
  const hasPages = pages && (pages.newer ?? pages.newest ?? pages.older) !== undefined;
  const footActions = hasPages ? <Pagination {...pages} /> : props.footActions;
  const message = rows.length === 0 && !isLoading ? empty : undefined;
  // A message says what "0 of 0" would.
  const count = message ? undefined : foot;
  return (
    <TableFrame aria-busy={isLoading || undefined}>
      <Table
        caption={caption}
        // A message spans hidden columns too, which would take their share of a fixed layout.
        className={message ? undefined : props.className}
        aria-rowcount={props.window && rows.length + 1}
        onKeyDown={moveBetweenRows}
      >
        <TableHead>
          {columns.map(({ id, head, label, align, isCount, className }) => (
            <HeadCell key={id} align={isCount ? "end" : align} className={className}>
              {label ?? head}
            </HeadCell>
          ))}
        </TableHead>
        <TableBody ref={props.body}>
          {message && <TableMessage columns={columns.length}>{message}</TableMessage>}
          {!message && isLoading && <LoadingRows columns={columns.length} />}
          {!message && !isLoading && <Rows {...props} />}
        </TableBody>
      </Table>
      {isLoading && (
        <p role="status" className="sr-only">
          Loading {caption}
        </p>
      )}
      {(count || footActions) && <TableFoot actions={footActions}>{count}</TableFoot>}
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
              isExpandable={expansionOf !== undefined}
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
      <td
        ref={(cell) => cell?.style.setProperty("height", `${height}px`)}
        colSpan={columns}
        className="p-0 max-sm:block"
      />
    </tr>
  );
}

type DataRowProps = {
  columns: DataColumns<object>;
  row: object;
  index: number;
  isOpen: boolean;
  hrefOf: ((row: object) => string | undefined) | undefined;
  onOpen: ((row: object) => void) | undefined;
  /** Sets `aria-rowindex`, where not every row is rendered. */
  isCounted: boolean;
  /** Opening it shows details under it. */
  isExpandable: boolean;
  measure: RowWindow["measure"];
};

const DataRow = memo(function DataRow(props: DataRowProps) {
  const { columns, row, index, isOpen, hrefOf, onOpen, isCounted, measure } = props;
  const href = hrefOf?.(row);
  const isExpanded = props.isExpandable ? isOpen : undefined;
  return (
    <TableRow
      ref={measure}
      data-index={index}
      aria-rowindex={isCounted ? index + 2 : undefined}
      isOpen={isOpen}
    >
      {columns.map((column) => {
        const content = cellOf(column, row);
        const isOpener = column.opens && (href !== undefined || onOpen);
        return (
          <Cell
            key={column.id}
            align={column.isCount ? "end" : column.align}
            phone={column.phone}
            label={column.label ?? column.phoneLabel}
            head={column.head}
            className={column.className}
          >
            {isOpener ? (
              <RowOpener href={href} onOpen={onOpen && (() => onOpen(row))} isExpanded={isExpanded}>
                {content}
              </RowOpener>
            ) : column.hasActions ? (
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
  if (event.defaultPrevented || step === 0 || isTyping) return;
  if (event.metaKey || event.ctrlKey || event.altKey) return;
  const openers = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-row-opener]")];
  const row = (event.target as HTMLElement).closest("tr");
  const at = openers.findIndex((opener) => row?.contains(opener));
  event.preventDefault();
  openers[at + step]?.focus();
}

const LOOK =
  "text-ink no-underline after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-accent focus-visible:after:-outline-offset-2";

type RowOpenerProps = {
  /** Where the row leads, also in a new tab. */
  href: string | undefined;
  /** Opens the row in place; with an `href`, a plain click does that instead of leaving the page. */
  onOpen: (() => void) | undefined;
  /** Absent where it opens nothing under the row. */
  isExpanded: boolean | undefined;
  children: ReactNode;
};

/** The link or button of a row, as large as the row. */
function RowOpener({ href, onOpen, isExpanded, children }: RowOpenerProps) {
  if (href === undefined) {
    return (
      <LiveButton
        data-row-opener
        aria-expanded={isExpanded}
        onClick={onOpen}
        className={`text-start ${LOOK}`}
      >
        {children}
      </LiveButton>
    );
  }
  if (!onOpen) {
    return (
      <NearLink href={href} data-row-opener className={LOOK}>
        {children}
      </NearLink>
    );
  }
  const open = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    onOpen();
  };
  return (
    <a href={href} data-row-opener className={LOOK} onClick={open}>
      {children}
    </a>
  );
}
