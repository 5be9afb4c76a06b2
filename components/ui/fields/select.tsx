import { useId, useRef, useState } from "react";
import { cn } from "../cn.ts";
import { Icon } from "../icon.tsx";
import { createLater } from "../later.ts";
import { LiveButton } from "../live-button.tsx";
import { CONTROL, ONE_LINE } from "./control-look.ts";
import { useFieldControl } from "./field-context.ts";
import type { SelectOption } from "./select-list.tsx";

export type SelectProps = {
  options: SelectOption[];
  value: string | undefined;
  onValueChange: (value: string) => void;
  /** Called as it opens, for options that may have changed. */
  onOpen?: () => void;
  placeholder?: string;
  /** Its name where it has no `Field`. */
  label?: string;
  name?: string;
  id?: string;
  className?: string;
};

const SelectList = createLater(() => import("./select-list.tsx"), "SelectList");

/** One of a few options; for many or for search use `Combobox`. The list is fetched with the first press. */
export function Select(props: SelectProps) {
  const { options, value, placeholder, label, name } = props;
  const [isOpen, setOpen] = useState(false);
  const setIsOpen = (open: boolean) => {
    if (open) props.onOpen?.();
    setOpen(open);
  };
  const control = useFieldControl(props);
  const listId = useId();
  const trigger = useRef<HTMLButtonElement>(null);
  const List = SelectList.usePart(isOpen, () => setIsOpen(false));
  const chosen = options.find((option) => option.value === value);
  const isShown = isOpen && List !== undefined;
  return (
    <>
      <LiveButton
        {...control}
        ref={trigger}
        role="combobox"
        aria-haspopup="listbox"
        aria-expanded={isShown}
        aria-controls={isShown ? listId : undefined}
        aria-label={label}
        {...SelectList.near}
        onClick={() => setIsOpen(!isOpen)}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
          event.preventDefault();
          setIsOpen(true);
        }}
        className={cn(
          CONTROL,
          ONE_LINE,
          "inline-flex items-center justify-between gap-2 text-start",
          props.className,
        )}
      >
        <span className={cn("truncate", !chosen && "text-ink-2")}>
          {chosen?.label ?? placeholder ?? ""}
        </span>
        <Icon name="down" className="size-3.5 text-ink-2" />
      </LiveButton>
      {name && <input type="hidden" name={name} value={value ?? ""} />}
      {List && (
        <List {...props} trigger={trigger} listId={listId} isOpen={isOpen} setIsOpen={setIsOpen} />
      )}
    </>
  );
}
