"use client";

import type { OutputOf } from "@turnpike/payments/protocol";
import { createContext, type ReactNode, useContext } from "react";
import { usePolled } from "../data/use-polled.ts";

const LOOKS_EACH_MS = 30_000;
const HomeFigures = createContext<OutputOf<"getHome"> | undefined>(undefined);

/** Reads what asks for a person once for the whole frame: the bell and the rail; pauses in a hidden tab. */
export function HomeFiguresProvider({ children }: { children: ReactNode }) {
  const { data } = usePolled("getHome", {}, { eachMs: LOOKS_EACH_MS });
  return <HomeFigures value={data}>{children}</HomeFigures>;
}

/** The figures as last read; undefined until the first reading. */
export const useHomeFigures = (): OutputOf<"getHome"> | undefined => useContext(HomeFigures);
