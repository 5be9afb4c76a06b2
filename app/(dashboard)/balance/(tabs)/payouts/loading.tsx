import { loadingRows } from "@/components/activity/loading-rows.tsx";

export default loadingRows("Payouts");
