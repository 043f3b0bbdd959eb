/** Outlines on a grid of 24, with a stroke width of 1.8. */
const shapes = {
  alert: 'M12 9v4m0 4h.01M10.4 4.3 2.9 17.2A1.9 1.9 0 0 0 4.5 20h15a1.9 1.9 0 0 0 1.6-2.8L13.6 4.3a1.9 1.9 0 0 0-3.2 0z',
  arrowDown: 'M12 5v14m6-6-6 6-6-6',
  arrowUp: 'M12 19V5m-6 6 6-6 6 6',
  bag: 'M6 8h12l1 12H5zM9 8V7a3 3 0 0 1 6 0v1',
  bolt: 'M13 3 5 14h6l-1 7 8-11h-6z',
  bookmark: 'M6 4h12v16l-6-4-6 4z',
  boxes: 'M3 13h8v7H3zM13 13h8v7h-8zM8 4h8v7H8z',
  chart: 'M4 20h16M7 16v-5m5 5V6m5 10v-8',
  check: 'm5 12.5 5 5L20 7',
  chevronDown: 'm6 9 6 6 6-6',
  chevronLeft: 'm15 6-6 6 6 6',
  chevronRight: 'm9 6 6 6-6 6',
  chevronsLeft: 'm11 6-6 6 6 6m8-12-6 6 6 6',
  columns: 'M4 5h16v14H4zM10 5v14M16 5v14',
  copy: 'M9 9h10v10H9zM5 15V5h10',
  cross: 'M6 6l12 12M18 6 6 18',
  dots: 'M5 12h.01M12 12h.01M19 12h.01',
  download: 'M12 4v11m-5-5 5 5 5-5M5 20h14',
  eye: 'M2.500 12C5 7.500 8.200 5.500 12 5.500s7 2 9.500 6.500c-2.500 4.500-5.700 6.500-9.500 6.500S5 16.500 2.500 12zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z',
  grip: 'M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01',
  home: 'M4 11.500 12 4l8 7.500M6 10v10h12V10',
  info: 'M12 11v5m0-8h.01M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z',
  key: 'M14 10a4 4 0 1 0-3.500 4M12.500 12.500 20 20m-3-3 2-2',
  language: 'M4 6h9M8.5 4v2c0 4-2 7-5 8.5M6 9.5c1 2.5 3 4 6 5M12 20l4.5-10L21 20m-1.5-3.5h-6',
  layers: 'm12 4 9 5-9 5-9-5zM3 14l9 5 9-5',
  megaphone: 'M4 10v4h3l9 4V6L7 10zM19 10a3 3 0 0 1 0 4M8 14v5h3l-1-4.500',
  menu: 'M4 7h16M4 12h16M4 17h16',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.500 10.500z',
  people:
    'M9 11a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM2.500 20a6.500 6.500 0 0 1 13 0M15.500 4.300a3.500 3.500 0 0 1 0 6.400M18 14a6.500 6.500 0 0 1 3.500 6',
  plug: 'M9 3v5m6-5v5M6.500 8h11v3a5.500 5.500 0 0 1-11 0zM12 16.500V21',
  plus: 'M12 5v14M5 12h14',
  pulse: 'M3 12h4l3-7 4 14 3-7h4',
  refund: 'M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3',
  refresh: 'M19 12a7 7 0 1 1-2-4.900L20 10m0-6v6h-6',
  screen: 'M3 5h18v11H3zM9 20h6m-3-4v4',
  scroll: 'M7 4h11v16H7zM10 8h5m-5 4h5m-5 4h3M7 4H5v4h2',
  search: 'm20 20-4.500-4.500M18 11a7 7 0 1 1-14 0 7 7 0 0 1 14 0z',
  gear: 'M12 15.500a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM12 2.500v3m0 13v3m9.500-9.500h-3m-13 0h-3m16.200-6.700-2.100 2.100M7.400 16.600l-2.100 2.100m13.400 0-2.100-2.100M7.400 7.400 5.300 5.300',
  shield: 'M12 3.500 5 6v5.500c0 4.200 2.900 7.300 7 9 4.100-1.700 7-4.800 7-9V6zM9 12l2.200 2.200L15 10.500',
  sliders: 'M4 7h9m5 0h2M4 17h2m5 0h9M15.500 9.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM8.500 19.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5z',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 3v1.500m0 15V21M3 12h1.500m15 0H21M5.600 5.600l1.100 1.100m10.600 10.600 1.100 1.100m0-12.800-1.100 1.100M6.700 17.300l-1.100 1.100',
  tag: 'M4 4h8l8 8-8 8-8-8zM8.500 8.500h.01',
  ticket: 'M4 7h16v3a2 2 0 0 0 0 4v3H4v-3a2 2 0 0 0 0-4zM14 7v10',
  unlink: 'M9 15l6-6M10 6l1-1a4.200 4.200 0 0 1 6 0m2 2a4.200 4.200 0 0 1 0 6l-1 1m-4 4-1 1a4.200 4.200 0 0 1-6 0l0 0m-2-2a4.200 4.200 0 0 1 0-6l1-1M4 4l16 16',
  wrench:
    'M14.500 6.500a4 4 0 0 1 5.300-1.300l-2.800 2.800 1 2 2 1 0 0 2.300-2.300a4 4 0 0 1-5.800 4.300L9.500 20a2.100 2.100 0 0 1-3-3l7-7a4 4 0 0 1 1-3.500z',
  wallet: 'M4 7h14a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2zm0 0a2 2 0 0 1 2-2h10v2M16 13.500h.01',
} as const;

export type IconName = keyof typeof shapes;

export const iconNames = Object.keys(shapes) as IconName[];

export const isIcon = (name: string): name is IconName => Object.hasOwn(shapes, name);

/** A decorative icon. An icon without text needs a parent with an accessible name. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={shapes[name]} />
    </svg>
  );
}
