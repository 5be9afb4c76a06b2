import { Brand } from "../brand.tsx";
import { NavList } from "./nav-list.tsx";

/** The places of the dashboard, always in view on wide screens. */
export function Rail() {
  return (
    <div className="hidden border-line border-e lg:block">
      <nav
        aria-label="Main"
        className="sticky top-0 flex h-dvh w-58 flex-col overflow-y-auto px-2 pb-3"
      >
        <div className="flex h-12 items-center px-2">
          <Brand />
        </div>
        <NavList />
      </nav>
    </div>
  );
}
