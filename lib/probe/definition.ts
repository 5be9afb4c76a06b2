export const MAX_ENDPOINTS = 100;
