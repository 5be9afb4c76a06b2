import { loadingList } from "@/components/activity/loading-rows.tsx";

export default loadingList("Delegations");
