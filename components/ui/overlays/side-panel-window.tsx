import * as Radix from "radix-ui/dialog";
import type { ReactNode } from "react";
import { cn } from "../cn.ts";
import { IconButton } from "../icon-button.tsx";
import { ModalContent } from "./modal-content.tsx";

export type SidePanelProps = {
  isOpen: boolean;
  onClose: () => void;
  title: ReactNode;
  /** Goes to the previous or next item of the list; an arrow without a handler is disabled. */
  onPrevious?: () => void;
  onNext?: () => void;
  hasArrows?: boolean;
  footer?: ReactNode;
  children: ReactNode;
  className?: string;
};

export function SidePanelWindow({ isOpen, onClose, title, children, ...props }: SidePanelProps) {
  const { onPrevious, onNext, hasArrows, footer, className } = props;
  return (
    <ModalContent
      isOpen={isOpen}
      onClose={onClose}
      className={cn(
        "inset-y-0 end-0 z-20 flex w-full max-w-120 animate-slide flex-col border-s",
        className,
      )}
    >
      <div className="flex min-h-12 items-center gap-1 border-line border-b ps-5 pe-3 max-sm:ps-4 max-sm:pe-1">
        <Radix.Title className="wrap-anywhere me-auto min-w-0 py-2 text-label">{title}</Radix.Title>
        {hasArrows && (
          <>
            <IconButton
              icon="up"
              label="Previous"
              onClick={onPrevious}
              aria-disabled={!onPrevious || undefined}
            />
            <IconButton
              icon="down"
              label="Next"
              onClick={onNext}
              aria-disabled={!onNext || undefined}
            />
          </>
        )}
        <Radix.Close asChild>
          <IconButton icon="close" label="Close" />
        </Radix.Close>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must reach what scrolls. */}
      <div tabIndex={0} className="min-h-0 flex-1 overflow-y-auto -outline-offset-2">
        {children}
      </div>
      {footer && (
        <div className="flex flex-wrap gap-2 border-line border-t px-5 py-3.5 max-sm:px-4">
          {footer}
        </div>
      )}
    </ModalContent>
  );
}
