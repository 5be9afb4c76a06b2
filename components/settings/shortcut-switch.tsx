"use client";

import { useEffect, useState } from "react";
import { areShortcutsOff, setShortcutsOff } from "../shell/use-shortcuts.ts";
import { Switch } from "../ui/fields/switch.tsx";
import { Kbd } from "../ui/values/kbd.tsx";

/** Turns single-key shortcuts off in this browser. Shortcuts with Command or Control keep working. */
export function ShortcutSwitch() {
  const [isOn, setOn] = useState(true);
  useEffect(() => setOn(!areShortcutsOff()), []);
  const flip = () => {
    setShortcutsOff(isOn);
    setOn(!isOn);
  };
  return (
    <div className="grid gap-1.5">
      <Switch
        label={
          <>
            Single-key shortcuts
            {/* Phones show no keys. */}
            <span className="max-sm:hidden">
              , such as <Kbd>g</Kbd> then <Kbd>p</Kbd>
            </span>
          </>
        }
        checked={isOn}
        onChange={flip}
      />
      <p className="ms-9.5 text-ink-2 text-note">
        Turn them off if you use speech input or press keys by accident.
      </p>
    </div>
  );
}
