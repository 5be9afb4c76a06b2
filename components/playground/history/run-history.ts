import { canParseUrl } from "@turnpike/payments/protocol";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { redactRun } from "@/lib/playground/redact.ts";
import type { Run } from "@/lib/playground/run.ts";
import { forgetSharedRuns, type KeptRun, moveVisitorRun, runStoreOf } from "../run/run-store.ts";

const PAGE = 50;

/** A kept run's name, or else its request. */
export const nameOf = ({ name, run: { input } }: KeptRun): string =>
  name ?? `${input.method} ${canParseUrl(input.url) ? new URL(input.url).pathname : input.url}`;

/** A kept run for a comparison, with its time in the name. */
export const namedRun = (kept: KeptRun) => ({
  name: `${nameOf(kept)}, ${kept.run.startedAt.slice(11, 19)}`,
  run: kept.run,
});

const newestFirst = (a: KeptRun, b: KeptRun) =>
  Date.parse(b.run.startedAt) - Date.parse(a.run.startedAt);

/** `runs` are the newest read so far, `total` is how many are kept. */
type Known = { runs: KeptRun[]; total: number };

/**
 * The account's runs kept in this browser, or those of its visitors, newest first and without secrets. They never leave it.
 * `continues` is a visitor's run that this account was signed in for.
 */
export function useRunHistory(account: string | null, continues: string | null) {
  const store = useMemo(() => runStoreOf(account), [account]);
  const [known, setKnown] = useState<Known | null>(null);
  const loaded = useRef(0);
  loaded.current = known?.runs.length ?? 0;
  const isReading = useRef(false);

  const readFirst = useCallback(async () => {
    const [runs, total] = await Promise.all([store.read(0, PAGE), store.count()]);
    setKnown({ runs, total });
  }, [store]);
  useEffect(() => {
    const isMoved = account !== null && continues !== null;
    const moved = isMoved ? moveVisitorRun(continues, store) : Promise.resolve();
    // Where nothing can be kept (private windows), the runs of this page are still shown.
    moved.then(readFirst).catch(() => setKnown({ runs: [], total: 0 }));
    void forgetSharedRuns();
  }, [account, continues, store, readFirst]);

  const readMore = useCallback(async () => {
    if (isReading.current) return;
    isReading.current = true;
    try {
      const next = await store.read(loaded.current, PAGE);
      setKnown((before) => before && withMore(before, next));
    } catch {
      // The runs read so far stay.
    } finally {
      isReading.current = false;
    }
  }, [store]);
  const put = useCallback(
    (kept: KeptRun) => {
      setKnown((before) => withRun(before ?? { runs: [], total: 0 }, kept));
      store.put(kept).then(
        (deleted) => setKnown((before) => before && without(before, deleted)),
        () => undefined,
      );
    },
    [store],
  );
  const keep = useCallback(
    (run: Run, name: string | null = null, id: string = crypto.randomUUID()): string => {
      put({ id, name, isPinned: false, run: redactRun(run) });
      return id;
    },
    [put],
  );
  const clear = useCallback(() => {
    setKnown((before) => {
      const runs = (before?.runs ?? []).filter(({ isPinned }) => isPinned);
      return { runs, total: runs.length };
    });
    store.clearUnpinned().then(
      () => readFirst(),
      () => undefined,
    );
  }, [store, readFirst]);
  return { runs: known?.runs ?? null, total: known?.total ?? 0, keep, put, clear, readMore };
}

function withRun({ runs, total }: Known, kept: KeptRun): Known {
  const others = runs.filter(({ id }) => id !== kept.id);
  const isNew = others.length === runs.length;
  return { runs: [kept, ...others].toSorted(newestFirst), total: isNew ? total + 1 : total };
}

/** A page without new runs is the end: another tab has deleted the rest. */
function withMore({ runs, total }: Known, next: KeptRun[]): Known {
  const ids = new Set(runs.map(({ id }) => id));
  const more = next.filter(({ id }) => !ids.has(id));
  return more.length === 0 ? { runs, total: runs.length } : { runs: [...runs, ...more], total };
}

const without = ({ runs, total }: Known, deleted: string[]): Known => ({
  runs: runs.filter(({ id }) => !deleted.includes(id)),
  total: total - deleted.length,
});
