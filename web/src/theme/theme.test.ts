import { describe, expect, test } from 'vitest';
import { dark, filled, filledHover, light, tones } from './colours';

/** Relative luminance (WCAG 2.2). */
function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

describe.each([
  ['light', light],
  ['dark', dark],
])('in the %s scheme', (_name, scheme) => {
  // Each text colour is readable on each surface, so single page states need no check.
  test.each(['background', 'card', 'soft', 'accentSoft', 'warnSoft', 'okSoft', 'badSoft', 'infoSoft'] as const)(
    'every text on %s has enough contrast',
    (surface) => {
      for (const text of ['text', 'dimmed', ...tones] as const) expect(contrast(scheme[text], scheme[surface]), text).toBeGreaterThanOrEqual(4.5);
    },
  );

  test('every input has a visible border', () => {
    expect(contrast(scheme.edge, scheme.card)).toBeGreaterThanOrEqual(3);
  });
});

test.each(tones)('white text has enough contrast on a %s button', (tone) => {
  expect(contrast('#ffffff', filled[tone])).toBeGreaterThanOrEqual(4.5);
  expect(contrast('#ffffff', filledHover[tone])).toBeGreaterThanOrEqual(4.5);
});
