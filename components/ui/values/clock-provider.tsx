"use client";

import { createContext, type ReactNode, useCallback, useContext, useState } from "react";
import { clockAt, readClock, type ServiceClock } from "./clock.ts";

const Clock = createContext<ServiceClock | undefined>(undefined);

/** Gives the page the service's time; without it, parts of the page count by the computer's clock. */
export function ClockProvider({ now, children }: { now: string; children: ReactNode }) {
  const [clock, setClock] = useState(() => clockAt(now));
  if (clock.now !== now) setClock(clockAt(now));
  return <Clock value={clock}>{children}</Clock>;
}

export const useClock = (): ServiceClock | undefined => useContext(Clock);

/** Reads the service's time. `const readNow = useNow(); toast(`Revoked at ${clockText(readNow())}`)` */
export function useNow(): () => Date {
  const clock = useClock();
  return useCallback(() => readClock(clock), [clock]);
}
