import { usePathname } from "next/navigation";
import * as Dialog from "radix-ui/dialog";
import { type RefObject, useEffect, useRef } from "react";
import { Brand } from "../brand.tsx";
import { Icon } from "../ui/icon.tsx";
import { NavList } from "./nav-list.tsx";

type NavWindowProps = {
  isOpen: boolean;
  setOpen: (isOpen: boolean) => void;
  /** The button that opened it; takes the focus back when it closes. */
  trigger: RefObject<HTMLButtonElement | null>;
};

/** The sheet, once it has been opened. It stays until the next page is there: its link says that it is on the way. */
export function NavWindow({ isOpen, setOpen, trigger }: NavWindowProps) {
  const pathname = usePathname();
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    setOpen(false);
  }, [pathname, setOpen]);
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-20 bg-scrim" />
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            trigger.current?.focus();
          }}
          className="fixed inset-y-0 start-0 z-20 flex w-72 max-w-[85vw] flex-col overflow-y-auto border-line border-e bg-bg px-2 pb-6"
        >
          <Dialog.Title className="sr-only">Navigation</Dialog.Title>
          <div className="flex h-12 items-center justify-between px-2">
            <Brand />
            <Dialog.Close
              aria-label="Close navigation"
              className="grid size-(--control) place-items-center rounded-control text-ink-2 hover:bg-sunken hover:text-ink"
            >
              <Icon name="close" className="size-4" />
            </Dialog.Close>
          </div>
          <nav aria-label="Main">
            <NavList onStay={() => setOpen(false)} />
          </nav>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
