"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { redactRun } from "@/lib/playground/redact.ts";
import type { Run } from "@/lib/playground/run.ts";
import { clearLoose, countRuns, type KeptRun, putRun, readRuns } from "../run/run-store.ts";

/** How many runs are read at a time. */
const PAGE = 50;

/** What a kept run is called: its own name, else its request. */
export const nameOf = ({ name, run: { input } }: KeptRun): string =>
  name ?? `${input.method} ${URL.canParse(input.url) ? new URL(input.url).pathname : input.url}`;

/** A kept run beside another: told apart by its time. */
export const namedRun = (kept: KeptRun) => ({
  name: `${nameOf(kept)}, ${kept.run.startedAt.slice(11, 19)}`,
  run: kept.run,
});

const newestFirst = (a: KeptRun, b: KeptRun) => b.run.startedAt.localeCompare(a.run.startedAt);

/** `runs` are the newest that were read so far, `total` is how many there are. */
type Known = { runs: KeptRun[]; total: number };

/** Runs kept in this browser, newest first, without secrets; nothing of them leaves it. */
export function useRunHistory() {
  const [known, setKnown] = useState<Known | null>(null);
  const loaded = useRef(0);
  loaded.current = known?.runs.length ?? 0;
  const isReading = useRef(false);

  const readFirst = useCallback(async () => {
    const [runs, total] = await Promise.all([readRuns(0, PAGE), countRuns()]);
    setKnown({ runs, total });
  }, []);
  useEffect(() => {
    // A browser that keeps nothing (private windows) still shows the runs of this page.
    readFirst().catch(() => setKnown({ runs: [], total: 0 }));
  }, [readFirst]);

  /** Reads on, as far as there is more. */
  const readMore = useCallback(async () => {
    if (isReading.current) return;
    isReading.current = true;
    try {
      const next = await readRuns(loaded.current, PAGE);
      setKnown((before) => before && withMore(before, next));
    } catch {
      // What was read stays.
    } finally {
      isReading.current = false;
    }
  }, []);
  const put = useCallback((kept: KeptRun) => {
    setKnown((before) => withRun(before ?? { runs: [], total: 0 }, kept));
    putRun(kept).then(
      (forgotten) => setKnown((before) => before && without(before, forgotten)),
      () => undefined,
    );
  }, []);
  const keep = useCallback(
    (run: Run, name: string | null = null): string => {
      const id = crypto.randomUUID();
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
    clearLoose().then(
      () => readFirst(),
      () => undefined,
    );
  }, [readFirst]);
  return { runs: known?.runs ?? null, total: known?.total ?? 0, keep, put, clear, readMore };
}

function withRun({ runs, total }: Known, kept: KeptRun): Known {
  const others = runs.filter(({ id }) => id !== kept.id);
  const isNew = others.length === runs.length;
  return { runs: [kept, ...others].toSorted(newestFirst), total: isNew ? total + 1 : total };
}

/** An end that brings nothing new is the end: what is missing was forgotten elsewhere. */
function withMore({ runs, total }: Known, next: KeptRun[]): Known {
  const ids = new Set(runs.map(({ id }) => id));
  const more = next.filter(({ id }) => !ids.has(id));
  return more.length === 0 ? { runs, total: runs.length } : { runs: [...runs, ...more], total };
}

const without = ({ runs, total }: Known, forgotten: string[]): Known => ({
  runs: runs.filter(({ id }) => !forgotten.includes(id)),
  total: total - forgotten.length,
});
