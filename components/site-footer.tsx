import Link from "next/link";

/** Files are linked as they are; pages by the router. */
const COLUMNS: { title: string; links: { href: string; label: string; isFile?: true }[] }[] = [
  {
    title: "Product",
    links: [
      { href: "/explore", label: "Explore plans" },
      { href: "/playground", label: "Playground" },
      { href: "/plans/new", label: "Price an agent" },
    ],
  },
  {
    title: "Developers",
    links: [
      { href: "/docs", label: "Documentation" },
      { href: "/docs/api", label: "API reference" },
      { href: "/docs/errors", label: "Error codes" },
      { href: "/api/v1/openapi.json", label: "OpenAPI document", isFile: true },
      { href: "/llms.txt", label: "llms.txt", isFile: true },
    ],
  },
];

export function SiteFooter({ isSandbox }: { isSandbox: boolean }) {
  return (
    <footer className="mt-auto border-line border-t text-ink-2 text-note">
      <div className="wrap grid gap-x-12 gap-y-8 py-8 sm:grid-cols-[minmax(0,2fr)_repeat(2,minmax(0,1fr))]">
        <div className="grid content-start gap-2">
          <p className="text-h3 text-ink">Turnpike</p>
          <p>Paid access to AI agents over HTTP 402.</p>
          <p>Supports x402 v2.{isSandbox && " Sandbox, no real money."}</p>
        </div>
        {COLUMNS.map(({ title, links }) => (
          <nav key={title} aria-label={title}>
            <h2 className="text-ink text-label">{title}</h2>
            <ul className="mt-2 grid gap-1">
              {links.map(({ href, label, isFile }) => (
                <li key={href}>
                  {isFile ? (
                    <a href={href} className="link-quiet inline-block py-1">
                      {label}
                    </a>
                  ) : (
                    <Link href={href} prefetch={false} className="link-quiet inline-block py-1">
                      {label}
                    </Link>
                  )}
                </li>
              ))}
            </ul>
          </nav>
        ))}
      </div>
    </footer>
  );
}
