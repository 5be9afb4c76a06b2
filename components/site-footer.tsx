import Link from "next/link";

/** The footer of every public page. */
export function SiteFooter({ isSandbox }: { isSandbox: boolean }) {
  return (
    <footer className="mt-auto border-line border-t text-ink-2 text-note">
      <div className="wrap flex flex-wrap gap-x-6 gap-y-2 pt-5 pb-10">
        <span>Turnpike</span>
        <Link href="/docs/api" className="link-quiet">
          API reference
        </Link>
        <Link href="/playground" prefetch={false} className="link-quiet">
          Playground
        </Link>
        <a href="/api/v1/openapi.json" className="link-quiet">
          OpenAPI document
        </a>
        {isSandbox && <span className="ml-auto">Sandbox, no real money</span>}
      </div>
    </footer>
  );
}
