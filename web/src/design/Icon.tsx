// Line drawings in the colour of the text. They never stand alone: a word or an aria-label says the same.
const PATHS = {
  tick: "M4 12.5l5.2 5L20 6.5",
  cross: "M6 6l12 12M18 6L6 18",
  back: "M15 5l-7 7 7 7",
  next: "M9 5l7 7-7 7",
  say: "M4 5h16v11H10l-5 4v-4H4z",
  examine: "M6 3v6a4 4 0 0 0 8 0V3M10 13v3a4.5 4.5 0 0 0 9 0v-3M19 13a2 2 0 1 0 0-4 2 2 0 0 0 0 4",
  test: "M9 3h6M10 3v7l-5 9a1.5 1.5 0 0 0 1.4 2h11.2a1.5 1.5 0 0 0 1.4-2l-5-9V3M7.5 15h9",
  wait: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M12 7v5l3.5 2.5",
  consult: "M8.5 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M2 20c0-4 3-6 6.500-6s6.500 2 6.500 6M16 4.500a3.300 3.300 0 0 1 0 6.300M17.500 14.300c2.700.600 4.500 2.500 4.500 5.700",
  conclude: "M5 21V4h11l-1.500 4L16 12H5",
  light: "M12 16.500a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9M12 2v2.500M12 19.500V22M2 12h2.500M19.500 12H22M5 5l1.800 1.800M17.200 17.200L19 19M5 19l1.800-1.800M17.200 6.800L19 5",
  dark: "M20 14.500A8.500 8.500 0 0 1 9.500 4 8.500 8.500 0 1 0 20 14.500",
  system: "M3 5h18v11H3zM9 20h6M12 16v4",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14M16 16l5 5",
  picture: "M3 5h18v14H3zM3 16l5-5 4 4 3-3 6 5M15.500 9.500h.01",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  bin: "M5 7h14M10 4h4M7 7l1 13h8l1-13",
  warn: "M12 3.500L2.500 20h19zM12 10v4.500M12 17.200v.1",
  offline: "M3 3l18 18M8.500 16.500a5 5 0 0 1 7 0M5 12.500a10 10 0 0 1 4-2.400M19 12.500a10 10 0 0 0-5.500-2.800M12 20v.1",
  pause: "M8 5v14M16 5v14",
  quote: "M9 7H5v6h4zM9 13c0 2.500-1 4-3.500 4.500M19 7h-4v6h4zM19 13c0 2.500-1 4-3.500 4.500",
  again: "M4 5v5h5M4.600 10a8 8 0 1 1-.600 4",
  leave: "M14 4h6v16h-6M15 12H4M8 8l-4 4 4 4",
  chair: "M7 3v10h10V3M5 13h14v3H5zM7 16v5M17 16v5",
  teach: "M3 5h18v11H3zM8 20l4-4 4 4M7 9h6M7 12h9",
  chart: "M4 20V4M4 20h16M8 16v-4M12 16V8M16 16v-6M20 16V6",
  lock: "M6 11h12v9H6zM8.500 11V7.500a3.500 3.500 0 0 1 7 0V11",
  help: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M9.500 9.500a2.500 2.500 0 1 1 3.500 2.300c-.700.400-1 .900-1 1.700M12 16.700v.1",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 22 }: { name: IconName; size?: number }) {
  return (
    <svg
      className="icon"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
