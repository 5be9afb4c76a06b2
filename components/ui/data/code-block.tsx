import type { ReactNode } from "react";
import { CopyButton } from "../values/copy-button.tsx";

type CodeBlockProps = {
  title: ReactNode;
  copies: string;
  label: string;
  children: ReactNode;
};

/** Code or terminal output without colours. Scrolls on its own, also by keyboard. */
export function CodeBlock({ title, copies, label, children }: CodeBlockProps) {
  return (
    <div className="flex min-w-0 flex-col overflow-hidden rounded-card border border-line bg-sunken">
      <div className="flex min-h-10 items-center gap-3 border-line border-b bg-surface pr-1.5 pl-3.5 text-label">
        {title}
        <span className="ml-auto flex items-center">
          <CopyButton text={copies} label={`Copy ${label.toLowerCase()}`} />
        </span>
      </div>
      <section
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must reach what scrolls.
        tabIndex={0}
        className="overflow-x-auto -outline-offset-2"
      >
        <pre className="w-max min-w-full px-4 py-3.5">{children}</pre>
      </section>
    </div>
  );
}
