"use client";

import { CodeTabs } from "../ui/data/code-tabs.tsx";
import { GATE_SAMPLES } from "./gate-samples.ts";

/** The samples are imported here, so that the page itself contains only the open one. */
export function GateCode() {
  return <CodeTabs label="Gate code" samples={GATE_SAMPLES} />;
}
