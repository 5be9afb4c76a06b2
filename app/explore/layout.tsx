import { ViewerFrame } from "./viewer-frame.tsx";

export default ViewerFrame;
