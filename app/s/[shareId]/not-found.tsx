import { SiteHeader } from "@/components/site-header.tsx";

export default function SharedRunNotFound() {
  return (
    <>
      <SiteHeader />
      <main id="main" tabIndex={-1} className="wrap w-full pt-8 pb-16 outline-none lg:pt-12">
        <h1 className="text-h1">This link has ended</h1>
        <p className="mt-2 text-ink-2">
          Shared runs are kept for seven days, or until who shared them ends the link.
        </p>
      </main>
    </>
  );
}
