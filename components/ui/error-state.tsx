import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { cn } from "./cn.ts";
import { Icon } from "./icon.tsx";
import { Identifier } from "./values/identifier.tsx";

export type ErrorStateProps = {
  /** What failed: "Balances could not be loaded". */
  title: string;
  /** Whether anything was lost or charged. */
  children: ReactNode;
  onRetry?: () => void;
  isRetrying?: boolean;
  requestId?: string;
  /** The heading's level: 2 directly under the page's heading. */
  headingLevel?: 2 | 3;
  className?: string;
};

/** Shown in place of the data: what failed, whether anything was charged, and a way to retry. */
export function ErrorState({ title, children, requestId, ...props }: ErrorStateProps) {
  const { onRetry, isRetrying, headingLevel = 3, className } = props;
  const Heading = headingLevel === 2 ? "h2" : "h3";
  return (
    <div
      role="alert"
      className={cn("grid justify-items-center gap-2 px-6 py-8 text-center", className)}
    >
      <Heading className="text-h3">{title}</Heading>
      <p className="max-w-[44ch] text-body text-ink-2">
        {children}
        {requestId && " If this keeps happening, contact support with the ID below."}
      </p>
      {onRetry && (
        <Button className="mt-2" isPending={isRetrying} onClick={onRetry}>
          {!isRetrying && <Icon name="refresh" />}
          Retry
        </Button>
      )}
      {requestId && (
        <span className="mt-1 flex items-center gap-2 text-ink-2 text-small">
          Error ID
          <Identifier value={requestId} name="error ID" />
        </span>
      )}
    </div>
  );
}
