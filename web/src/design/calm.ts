/** Whether less motion is wished for: movements become cuts, and nothing starts by itself. */
export const isCalm = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;
