import * as Radix from "radix-ui/dialog";
import { type ReactNode, useRef } from "react";
import { cn } from "../cn.ts";
import { useReturnFocus } from "./use-return-focus.ts";

export type DialogProps = {
  /** For a dialog that is rendered while it is closed. */
  isOpen?: boolean;
  onClose: () => void;
  title: ReactNode;
  /** One sentence under the title. */
  description?: ReactNode;
  /** Buttons, the safe answer first; the one with `data-safe` takes the focus. */
  footer?: ReactNode;
  children?: ReactNode;
  className?: string;
};

/** A dialog, once it was opened: keeps the focus inside and returns it. */
export function DialogWindow({ isOpen = true, onClose, footer, children, ...props }: DialogProps) {
  const { title, description, className } = props;
  const content = useRef<HTMLDivElement>(null);
  const { remember, onCloseAutoFocus } = useReturnFocus();
  return (
    <Radix.Root open={isOpen} onOpenChange={onClose}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-20 grid animate-fade place-items-center overflow-y-auto bg-scrim p-4">
          <Radix.Content
            ref={content}
            {...(description ? {} : { "aria-describedby": undefined })}
            onCloseAutoFocus={onCloseAutoFocus}
            onOpenAutoFocus={(event) => {
              remember();
              const safe = content.current?.querySelector<HTMLElement>("[data-safe]");
              if (!safe) return;
              event.preventDefault();
              safe.focus({ focusVisible: true } as FocusOptions);
            }}
            className={cn(
              "w-full max-w-130 animate-rise rounded-dialog border border-line bg-surface text-ink shadow-dialog outline-none",
              className,
            )}
          >
            <div className={cn("grid gap-1 px-6 pt-5 max-sm:px-4", !children && "pb-5")}>
              <Radix.Title className="wrap-anywhere text-h2">{title}</Radix.Title>
              {description && (
                <Radix.Description className="text-ink-2">{description}</Radix.Description>
              )}
            </div>
            {children && <div className="grid gap-3.5 px-6 py-4 max-sm:px-4">{children}</div>}
            {footer && (
              <div className="flex items-center justify-end gap-2 border-line border-t px-6 py-3.5 max-sm:flex-col-reverse max-sm:items-stretch max-sm:px-4">
                {footer}
              </div>
            )}
          </Radix.Content>
        </Radix.Overlay>
      </Radix.Portal>
    </Radix.Root>
  );
}
