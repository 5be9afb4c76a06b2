import { Brand } from "../brand.tsx";
import { NavList } from "./nav-list.tsx";

/** The navigation on wide screens; icons only where a page needs the room. */
export function Rail() {
  return (
    <div data-rail className="print:hidden hidden border-line border-e lg:block">
      <nav
        aria-label="Main"
        className="sticky top-0 flex h-dvh w-57.75 flex-col overflow-y-auto px-2 pb-3 narrow-rail:w-13.75"
      >
        <div className="flex h-12 items-center px-2 narrow-rail:justify-center narrow-rail:px-0">
          <Brand />
        </div>
        <NavList />
      </nav>
    </div>
  );
}
