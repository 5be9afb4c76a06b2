import { NearLink } from "./ui/links/near-link.tsx";

export function Brand() {
  return (
    <NearLink
      href="/"
      aria-label="Turnpike home"
      className="flex h-12 items-center gap-2.5 text-h3 text-ink no-underline"
    >
      <svg aria-hidden="true" viewBox="0 0 20 20" className="size-5 fill-none stroke-current">
        <path d="M4.5 2.5v15M4.5 8h12.5" strokeWidth="2" strokeLinecap="square" />
        <path d="M8.5 11.5v2M12 11.5v2M15.5 11.5v2" strokeWidth="1.25" />
      </svg>
      <span className="narrow-rail:sr-only">Turnpike</span>
    </NearLink>
  );
}
