"use client";

import { Command } from "cmdk";
import { useRouter } from "next/navigation";
import * as Dialog from "radix-ui/dialog";
import { Icon } from "../ui/icon.tsx";
import { SECTION_GROUPS } from "./sections.ts";

const COMMANDS = [
  { label: "New plan", href: "/plans/new" },
  { label: "Register an agent", href: "/agents/new" },
  { label: "New delegation", href: "/delegations/new" },
  { label: "Mint access token", href: "/tokens/new" },
  { label: "Create API key", href: "/settings/api-keys" },
  { label: "API reference", href: "/docs/api" },
];

const ITEM =
  "flex min-h-9 cursor-default items-center gap-2.5 rounded-control px-2.5 text-label data-[selected=true]:bg-sunken";
const GROUP =
  "**:[[cmdk-group-heading]]:px-2.5 **:[[cmdk-group-heading]]:pt-2 **:[[cmdk-group-heading]]:pb-1 **:[[cmdk-group-heading]]:text-small **:[[cmdk-group-heading]]:text-ink-2";

/** Places and commands by name, with the keys that reach them. */
export function CommandPalette({ onClose }: { onClose: () => void }) {
  const router = useRouter();
  const go = (href: string) => {
    onClose();
    router.push(href);
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-20 bg-ink/20" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed inset-x-4 top-[12vh] z-20 mx-auto max-w-140 overflow-hidden rounded-dialog border border-line bg-surface shadow-dialog"
        >
          <Dialog.Title className="sr-only">Search and commands</Dialog.Title>
          <Command label="Search and commands">
            <Command.Input
              autoFocus
              placeholder="Where to, or what to do?"
              className="w-full border-line border-b bg-transparent px-4 py-3 text-body outline-none placeholder:text-ink-2"
            />
            <Command.List className="max-h-[50vh] overflow-y-auto p-1.5">
              <Command.Empty className="px-2.5 py-6 text-center text-ink-2">
                Nothing is called that.
              </Command.Empty>
              <Command.Group heading="Do" className={GROUP}>
                {COMMANDS.map(({ label, href }) => (
                  <Command.Item key={href + label} onSelect={() => go(href)} className={ITEM}>
                    {label}
                  </Command.Item>
                ))}
              </Command.Group>
              {SECTION_GROUPS.map(({ title, sections }) => (
                <Command.Group key={title ?? ""} heading={title ?? "Go to"} className={GROUP}>
                  {sections.map(({ href, label, icon, key }) => (
                    <Command.Item key={href} onSelect={() => go(href)} className={ITEM}>
                      <Icon name={icon} className="size-4 text-ink-2" />
                      {label}
                      {key && <kbd className="ms-auto text-ink-2 text-small">g {key}</kbd>}
                    </Command.Item>
                  ))}
                </Command.Group>
              ))}
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
