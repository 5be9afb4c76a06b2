import { ViewerFrame } from "@/app/explore/viewer-frame.tsx";

export default ViewerFrame;
