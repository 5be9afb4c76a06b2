const SHAPES = {
  lock: (
    <>
      <rect x="3" y="7" width="10" height="6.5" rx="1.5" />
      <path d="M5.2 7V5a2.8 2.8 0 0 1 5.6 0v2" />
    </>
  ),
  check: (
    <>
      <circle cx="8" cy="8" r="6.25" />
      <path d="m5.3 8.2 1.9 1.9 3.6-4" />
    </>
  ),
  half: (
    <>
      <circle cx="8" cy="8" r="6.25" />
      <path d="M8 1.75a6.25 6.25 0 0 0 0 12.5z" fill="currentColor" />
    </>
  ),
  cross: (
    <>
      <circle cx="8" cy="8" r="6.25" />
      <path d="m5.8 5.8 4.4 4.4m0-4.4-4.4 4.4" />
    </>
  ),
  minus: (
    <>
      <circle cx="8" cy="8" r="6.25" />
      <path d="M5.2 8h5.6" />
    </>
  ),
  dashed: <circle cx="8" cy="8" r="6.25" strokeDasharray="2.4 2.5" />,
  copy: (
    <>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
      <path d="M3.8 10.5h-.3a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1h6a1 1 0 0 1 1 1v.3" />
    </>
  ),
  tick: <path d="m3.5 8.5 3 3 6-7" />,
  theme: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M8 2.25v11.5a5.75 5.75 0 0 0 0-11.5z" fill="currentColor" />
    </>
  ),
  search: (
    <>
      <circle cx="7" cy="7" r="4.25" />
      <path d="m10.2 10.2 3.3 3.3" />
    </>
  ),
} as const;

export type IconName = keyof typeof SHAPES;

/** A 16-unit line drawing, always beside words that say the same. */
export function Icon({ name, className = "size-4" }: { name: IconName; className?: string }) {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 16 16"
      className={`shrink-0 fill-none stroke-current ${className}`}
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      {SHAPES[name]}
    </svg>
  );
}
