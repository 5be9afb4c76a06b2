import { SiteHeader } from "@/components/site-header.tsx";

export default function SharedRunNotFound() {
  return (
    <>
      <SiteHeader />
      <main id="main" tabIndex={-1} className="wrap w-full pt-8 pb-16 outline-none lg:pt-12">
        <h1 className="text-h1">Link expired or revoked</h1>
        <p className="mt-2 text-ink-2">
          Shared runs expire after seven days, or when their owner revokes the link.
        </p>
      </main>
    </>
  );
}
