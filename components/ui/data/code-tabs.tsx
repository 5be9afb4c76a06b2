"use client";

import { useId } from "react";
import { useRememberedChoice } from "../fields/remembered-choice.ts";
import { IconButton } from "../icon-button.tsx";
import { TabRow } from "../tabs.tsx";
import { CopyButton } from "../values/copy-button.tsx";
import { Tag } from "../values/tag.tsx";
import { paintCode } from "./paint-code.tsx";

export type CodeSample = {
  /** The remembered value: `ts`, `python`, `curl`, `json`. */
  language: string;
  /** "TypeScript". */
  label: string;
  /** Must name secrets as environment variables. */
  code: string;
  /** What its file is called, where that matters. */
  file?: string;
};

export type CodeTabsProps = {
  /** What the code does, for screen readers. */
  label: string;
  samples: CodeSample[];
  /** The code contains the reader's own ids. */
  usesOwnIds?: boolean;
};

/** The same code in several languages. The app remembers the language and the wrapping. */
export function CodeTabs({ label, samples, usesOwnIds }: CodeTabsProps) {
  const id = useId();
  const [language, setLanguage] = useRememberedChoice("language");
  const [wrap, setWrap] = useRememberedChoice("wrap-code");
  const open = samples.find((sample) => sample.language === language) ?? samples[0];
  const isWrapped = wrap === "yes";
  if (!open) return null;
  return (
    <div className="flex min-w-0 flex-col overflow-hidden rounded-card border border-line bg-sunken">
      <div className="flex min-h-10 items-end gap-3 border-line border-b bg-surface ps-3.5 pe-1.5">
        <TabRow
          id={id}
          label={`${label}, language`}
          tabs={samples.map((sample) => ({ value: sample.language, label: sample.label }))}
          open={open.language}
          onChoose={setLanguage}
          className="-mb-px min-w-0 border-b-0"
        />
        <span className="ms-auto flex items-center self-center">
          {open.file && (
            <span className="me-1 font-mono text-ink-2 text-small max-sm:hidden">{open.file}</span>
          )}
          {usesOwnIds && <Tag className="me-1 max-sm:hidden">Uses your IDs</Tag>}
          <IconButton
            icon="wrap"
            label="Wrap long lines"
            aria-pressed={isWrapped}
            onClick={() => setWrap(isWrapped ? "no" : "yes")}
            className="-my-2 aria-pressed:text-accent"
          />
          <CopyButton text={open.code} label={`Copy ${label.toLowerCase()}`} />
        </span>
      </div>
      {samples.map((sample) => (
        <div
          key={sample.language}
          role="tabpanel"
          id={`${id}-panel-${sample.language}`}
          aria-labelledby={`${id}-tab-${sample.language}`}
          hidden={sample !== open}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must reach what scrolls.
          tabIndex={0}
          className="overflow-x-auto -outline-offset-2"
        >
          {sample === open && (
            <pre
              className={
                isWrapped
                  ? "wrap-anywhere whitespace-pre-wrap px-4 py-3.5"
                  : "w-max min-w-full px-4 py-3.5"
              }
            >
              <code>{paintCode(sample.code)}</code>
            </pre>
          )}
        </div>
      ))}
    </div>
  );
}
