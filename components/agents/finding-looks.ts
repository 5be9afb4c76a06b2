/** How a finding of a check is shown: a failed one by its severity, others by their state. */
export const FINDING_LOOKS = {
  error: { icon: "cross", ink: "text-refused", word: "Error" },
  warning: { icon: "alert", ink: "text-unsettled", word: "Warning" },
  info: { icon: "info", ink: "text-ink-2", word: "Note" },
  pass: { icon: "tick", ink: "text-settled", word: "Passed" },
  skip: { icon: "minus", ink: "text-ink-2", word: "Skipped" },
} as const;
