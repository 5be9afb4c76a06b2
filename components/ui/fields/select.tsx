"use client";

import { type KeyboardEvent, useState } from "react";
import { cn } from "../cn.ts";
import { Icon } from "../icon.tsx";
import { createLater } from "../later.ts";
import { CONTROL, ONE_LINE } from "./control-look.ts";
import { useFieldControl } from "./field-context.ts";
import type { SelectOption } from "./open-select.tsx";

export type SelectProps = {
  options: SelectOption[];
  value: string | undefined;
  onValueChange: (value: string) => void;
  onBlur?: () => void;
  placeholder?: string;
  /** Its name where it has no `Field`. */
  label?: string;
  name?: string;
  id?: string;
  isDisabled?: boolean;
  className?: string;
};

const OpenSelect = createLater(() => import("./open-select.tsx").then((it) => it.OpenSelect));

/** One of a few options; for many or for search use `Combobox`. The list is fetched with the first press. */
export function Select(props: SelectProps) {
  const { options, value, onBlur, placeholder, label, name, isDisabled } = props;
  const [isNeeded, setNeeded] = useState(false);
  const control = useFieldControl(props);
  const Opened = OpenSelect.usePart(isNeeded, () => setNeeded(false));
  const chosen = options.find((option) => option.value === value);
  const trigger = (
    <button
      {...control}
      type="button"
      aria-label={label}
      disabled={isDisabled}
      onBlur={onBlur}
      className={cn(
        CONTROL,
        ONE_LINE,
        "inline-flex items-center justify-between gap-2 text-start",
        props.className,
      )}
      {...(!Opened && {
        role: "combobox",
        "aria-haspopup": "listbox" as const,
        "aria-expanded": false,
        onPointerEnter: OpenSelect.ahead,
        onFocus: OpenSelect.ahead,
        onClick: () => setNeeded(true),
        onKeyDown: (event: KeyboardEvent) => {
          if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
          event.preventDefault();
          setNeeded(true);
        },
      })}
    >
      <span className={cn("truncate", !chosen && "text-ink-2")}>
        {chosen?.label ?? placeholder ?? ""}
      </span>
      <Icon name="down" className="size-3.5 text-ink-2" />
    </button>
  );
  return (
    <>
      {Opened ? <Opened {...props} trigger={trigger} /> : trigger}
      {name && <input type="hidden" name={name} value={value ?? ""} />}
    </>
  );
}
