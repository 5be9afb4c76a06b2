import { type ComparedLine, compareRuns } from "@/lib/playground/compare-runs.ts";
import type { Run } from "@/lib/playground/run.ts";
import { DiffView } from "../../ui/data/diff-view.tsx";
import { Cell, HeadCell, Table, TableBody, TableHead, TableRow } from "../../ui/data/table.tsx";
import { IconButton } from "../../ui/icon-button.tsx";

type ComparedRunsProps = {
  before: { name: string; run: Run };
  after: { name: string; run: Run };
  onClose: () => void;
};

/** Two runs side by side; differences are marked with a word. */
export function ComparedRuns({ before, after, onClose }: ComparedRunsProps) {
  const { lines, latency, envelopes } = compareRuns(before.run, after.run);
  const different = lines.filter(({ isSame }) => !isSame).length;
  return (
    <section
      aria-labelledby="compared-runs"
      data-testid="pg-compared"
      data-different={different}
      className="grid gap-3 border-line border-t px-4 py-3"
    >
      <div className="flex items-center gap-3">
        <h2 id="compared-runs" className="text-h3">
          Run comparison
        </h2>
        <p className="text-ink-2 text-note">
          {different === 0 ? "Same result" : `${different} of ${lines.length} differ`}
        </p>
        <IconButton icon="close" label="Close comparison" className="ms-auto" onClick={onClose} />
      </div>
      <div className="-mx-4 border-line border-y">
        <Table caption={`${before.name} and ${after.name}`}>
          <TableHead>
            <HeadCell>
              <span className="sr-only">Value</span>
            </HeadCell>
            <HeadCell className="max-w-50 truncate">{before.name}</HeadCell>
            <HeadCell className="max-w-50 truncate">{after.name}</HeadCell>
            <HeadCell>
              <span className="sr-only">Difference</span>
            </HeadCell>
          </TableHead>
          <TableBody>
            {lines.map((line) => (
              <Line key={line.name} {...line} note={line.isSame ? "same" : "differs"} />
            ))}
            {latency.map(({ change, ...line }) => (
              <Line key={line.name} {...line} note={change} isTime />
            ))}
          </TableBody>
        </Table>
      </div>
      <DiffView
        label="Changes in the offer"
        before={envelopes.before}
        after={envelopes.after}
        beforeName="Earlier offer"
        afterName="Later offer"
      />
    </section>
  );
}

type LineProps = ComparedLine & { note: string; isTime?: boolean };

function Line({ name, before, after, isSame, note, isTime }: LineProps) {
  const isMarked = !isTime && !isSame;
  return (
    <TableRow data-line={name} data-same={isSame}>
      <Cell phone="title" className={isMarked ? "font-medium" : "text-ink-2"}>
        {name}
      </Cell>
      <Cell phone="title" label="Earlier" className="wrap-anywhere font-mono text-small">
        {before}
      </Cell>
      <Cell
        phone="title"
        label="Later"
        className={`wrap-anywhere font-mono text-small ${isMarked ? "font-medium" : ""}`}
      >
        {after}
      </Cell>
      <Cell className={`whitespace-nowrap ${isMarked ? "font-medium" : "text-ink-2"}`}>{note}</Cell>
    </TableRow>
  );
}
