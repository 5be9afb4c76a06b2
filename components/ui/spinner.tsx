/** Work in progress; with reduced motion, a dotted ring that does not turn. */
export function Spinner({ className = "size-3.5" }: { className?: string }) {
  return (
    <span
      aria-hidden="true"
      className={`inline-block shrink-0 animate-spin rounded-full border-[1.5px] border-current/30 border-t-current motion-reduce:border-dotted motion-reduce:border-current ${className}`}
    />
  );
}
