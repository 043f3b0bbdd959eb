import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useFormat } from '@/i18n';
import type { Columns } from './feed';

export type LineTone = 'accent' | 'ok' | 'warn' | 'info' | 'bad' | 'dimmed';

interface ChartLine {
  tone: LineTone;
  /** Whether the area below the line is filled. */
  filled?: boolean;
  /** Whether the line uses the second axis, which has another unit. */
  aside?: boolean;
}

interface Props {
  lines: readonly ChartLine[];
  columns: Columns;
  /** The labels of the first axis; those of the other one are in seconds. */
  format: (value: number) => string;
  formatAside?: (value: number) => string;
}

/** The positions of an axis, as numbered by uPlot. */
const sides = { right: 1, bottom: 2, left: 3 } as const;
const height = 170;
const axisWidth = 46;
/** Axis increments: whole units, and round times. */
const whole = [1, 2, 5].flatMap((digit) => Array.from({ length: 9 }, (_, zeros) => digit * 10 ** zeros)).sort((a, b) => a - b);
const seconds = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 86_400];
/** The minimum upper bound of an axis, so that an empty chart has grid lines. */
const least = 4;

/** Lines over time on a canvas. The parent provides the text for screen readers. */
export default function Chart({ lines, columns, format, formatAside = format }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(undefined);
  const scheme = useComputedColorScheme('light');
  const { time } = useFormat();
  const formats = useRef({ format, formatAside, time });
  const columnsNow = useRef(columns);
  const shape = JSON.stringify(lines);

  useEffect(() => {
    formats.current = { format, formatAside, time };
    columnsNow.current = columns;
    plot.current?.setData([columns.times, ...columns.rows]);
  }, [columns, format, formatAside, time]);

  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const { times, rows } = columnsNow.current;
    const made = new UPlot(
      optionsOf(JSON.parse(shape) as ChartLine[], element.clientWidth, colours(element), {
        side: (value) => formats.current.format(value),
        aside: (value) => formats.current.formatAside(value),
        time: (seconds) => formats.current.time(seconds * 1000),
      }),
      [times, ...rows],
      element,
    );
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = undefined;
    };
    // The chart is created again for a new colour scheme, because a canvas does not inherit colours.
  }, [shape, scheme]);

  return <div ref={box} style={{ height }} aria-hidden="true" />;
}

type Colours = (name: LineTone | 'line' | 'text') => string;

function colours(element: Element): Colours {
  const style = getComputedStyle(element);
  return (name) => style.getPropertyValue(`--il-${name}`).trim();
}

interface Writers {
  side: (value: number) => string;
  aside: (value: number) => string;
  time: (seconds: number) => string;
}

function optionsOf(lines: readonly ChartLine[], width: number, colour: Colours, write: Writers): UPlot.Options {
  const font = `11px ${getComputedStyle(document.body).fontFamily}`;
  const axis = (scale: string, side: keyof typeof sides, label: (value: number) => string, withGrid: boolean): UPlot.Axis => ({
    scale,
    // eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- a const enum of the library cannot be imported
    side: sides[side],
    font,
    size: axisWidth,
    stroke: colour('dimmed'),
    grid: { show: withGrid, stroke: colour('line'), width: 1 },
    ticks: { show: false },
    values: (_, splits) => splits.map(label),
  });
  const fromNothing: UPlot.Range.Function = (_, _min, max) => [0, Math.max(least, max * 1.1)];
  return {
    width,
    height,
    padding: [8, lines.some(({ aside }) => aside === true) ? 0 : 8, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { time: true }, side: { range: fromNothing }, aside: { range: fromNothing } },
    axes: [
      { ...axis('x', 'bottom', write.time, false), size: 26, space: 90 },
      { ...axis('side', 'left', write.side, true), incrs: whole },
      ...(lines.some(({ aside }) => aside === true) ? [{ ...axis('aside', 'right', write.aside, false), incrs: seconds }] : []),
    ],
    series: [
      {},
      ...lines.map(({ tone, filled = false, aside = false }): UPlot.Series => ({
        scale: aside ? 'aside' : 'side',
        stroke: colour(tone),
        width: 2,
        ...(filled ? { fill: `color-mix(in srgb, ${colour(tone)} 18%, transparent)` } : {}),
        ...(aside ? { dash: [4, 4] } : {}),
        points: { show: false },
      })),
    ],
  };
}
