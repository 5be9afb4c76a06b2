import { Command } from "cmdk";
import * as Radix from "radix-ui/dialog";
import { useEffect, useState } from "react";
import { Icon, type IconName } from "../icon.tsx";
import { Kbd } from "../values/kbd.tsx";
import { MENU_ITEM } from "./menu-look.ts";
import { ModalContent } from "./modal-content.tsx";

export type CommandItem = {
  id: string;
  label: string;
  icon?: IconName;
  /** A short explanation after the label. */
  note?: string;
  /** Shown below the list while the item is selected: its kind and whole id. */
  preview?: string;
  /** The shortcut for it: `["g", "p"]`. */
  keys?: string[];
  onSelect: () => void;
};

export type CommandGroup = { name: string; items: CommandItem[] };

export type CommandMenuProps = {
  onClose: () => void;
  /** What fits the query, in order; the first item is selected. */
  groups: CommandGroup[];
  query: string;
  onQuery: (query: string) => void;
  /** Shown when nothing fits. */
  empty?: string;
  /** What the menu is for, and what its field takes; by default the dashboard's objects and commands. */
  label?: string;
  placeholder?: string;
};

/** Search and commands, opened with Cmd/Ctrl+K. */
export function CommandMenu(props: CommandMenuProps) {
  const { onClose, groups, query, onQuery, empty = "No matches." } = props;
  const { label = "Search and commands", placeholder = "Search by name, ID, address or hash" } =
    props;
  const [selected, setSelected] = useState("");
  const items = groups.flatMap((group) => group.items);
  const first = items[0]?.id ?? "";
  // What was found arrives later and takes the first place, and the selection with it.
  useEffect(() => setSelected(first), [first]);
  const preview = items.find(({ id }) => id === selected)?.preview;
  return (
    <ModalContent
      onClose={onClose}
      className="inset-x-4 top-[12vh] z-30 mx-auto max-w-160 animate-rise overflow-hidden rounded-dialog border shadow-dialog"
    >
      <Radix.Title className="sr-only">{label}</Radix.Title>
      <Command label={label} loop shouldFilter={false} value={selected} onValueChange={setSelected}>
        <div className="flex items-center gap-2.5 border-line border-b px-4 text-ink-2">
          <Icon name="search" />
          <Command.Input
            value={query}
            onValueChange={onQuery}
            placeholder={placeholder}
            className="h-12 w-full bg-transparent text-body text-ink outline-none placeholder:text-ink-2 max-sm:text-[1rem]"
          />
          <Kbd>Esc</Kbd>
        </div>
        <Command.List label="Results" className="max-h-[60vh] overflow-y-auto p-1.5">
          <Command.Empty className="px-3 py-6 text-center text-ink-2">{empty}</Command.Empty>
          {groups.map(({ name, items }) => (
            <Command.Group
              key={name}
              heading={name}
              className="**:[[cmdk-group-heading]]:px-2 **:[[cmdk-group-heading]]:pt-2 **:[[cmdk-group-heading]]:pb-1 **:[[cmdk-group-heading]]:font-medium **:[[cmdk-group-heading]]:text-ink-2 **:[[cmdk-group-heading]]:text-small"
            >
              {items.map((item) => (
                <Item key={item.id} item={item} onDone={onClose} />
              ))}
            </Command.Group>
          ))}
        </Command.List>
      </Command>
      <p className="flex min-h-9 items-center gap-2 border-line border-t bg-sunken px-4 text-ink-2 text-small max-sm:hidden">
        <span className="min-w-0 flex-1 truncate font-mono">{preview}</span>
        <span className="flex shrink-0 items-center gap-1.5">
          <Kbd>↑</Kbd>
          <Kbd>↓</Kbd> move <Kbd>Enter</Kbd> open
        </span>
      </p>
    </ModalContent>
  );
}

function Item({ item, onDone }: { item: CommandItem; onDone: () => void }) {
  const { id, label, icon, note, keys, onSelect } = item;
  return (
    <Command.Item
      value={id}
      onSelect={() => {
        onDone();
        onSelect();
      }}
      className={MENU_ITEM}
    >
      {icon && <Icon name={icon} className="size-4 text-ink-2" />}
      <span className="truncate">{label}</span>
      {note && <span className="truncate text-ink-2 text-note">{note}</span>}
      {keys && (
        <span className="ms-auto flex gap-1">
          {keys.map((key) => (
            <Kbd key={key}>{key}</Kbd>
          ))}
        </span>
      )}
    </Command.Item>
  );
}
