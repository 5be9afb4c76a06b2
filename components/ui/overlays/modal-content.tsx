import * as Radix from "radix-ui/dialog";
import type { ReactNode } from "react";
import { cn } from "../cn.ts";
import { useReturnFocus } from "./use-return-focus.ts";

export type ModalContentProps = {
  isOpen?: boolean;
  onClose: () => void;
  /** Must contain a `Radix.Title`. */
  children: ReactNode;
  /** Its position and animation. */
  className: string;
};

/** Content over the dimmed page. Keeps the focus inside and returns it. */
export function ModalContent({ isOpen = true, onClose, children, className }: ModalContentProps) {
  const { remember, onCloseAutoFocus } = useReturnFocus();
  return (
    <Radix.Root open={isOpen} onOpenChange={onClose}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-20 animate-fade bg-scrim" />
        <Radix.Content
          aria-describedby={undefined}
          onOpenAutoFocus={remember}
          onCloseAutoFocus={onCloseAutoFocus}
          className={cn("fixed border-line bg-surface text-ink outline-none", className)}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
