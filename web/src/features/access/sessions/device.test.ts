import { expect, test } from 'vitest';
import { deviceOf } from './device';

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)';

test.each([
  [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webkit} Chrome/140.0.0.0 Safari/537.36`, 'Chrome', 'macOS'],
  [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} HeadlessChrome/140.0.0.0 Safari/537.36`, 'Chrome', 'Linux'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`, 'Edge', 'Windows'],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0', 'Firefox', 'Windows'],
  // A phone also names the desktop system, and every browser on iOS also names Safari.
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
    'Safari',
    'iPhone',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148 Safari/604.1',
    'Chrome',
    'iPhone',
  ],
  [`Mozilla/5.0 (Linux; Android 15; V2324A) ${webkit} Version/4.0 Chrome/130.0.0.0 Mobile Safari/537.36 MicroMessenger/8.0.60`, 'WeChat', 'Android'],
  [`Mozilla/5.0 (Linux; Android 14; SM-S921B) ${webkit} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`, 'Samsung Internet', 'Android'],
  ['curl/8.5.0', 'curl', undefined],
  ['node', 'node', undefined],
  ['Mozilla/5.0', undefined, undefined],
  ['', undefined, undefined],
])('%s is %s on %s', (userAgent, program, system) => {
  expect(deviceOf(userAgent)).toEqual({ program, system });
});
